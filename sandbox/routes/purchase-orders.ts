import { invalid } from '../http/api-error.ts'
import { EVERYTHING, readDays } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { create, findNumber, merge, withoutOwn } from '../model/records.ts'
import type { OrderStatus } from '../stock/purchase-order.ts'
import {
  checkOrderMove,
  dueDate,
  ORDER_STAMPS,
  orderTotals,
  priceLine,
} from '../stock/purchase-order.ts'
import { receive } from '../stock/receive.ts'
import { decimal, parseExactly, readNumber } from '../values/money.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { dateRules, list, single } from './route.ts'

/**
 * A list sent by somebody becomes the order's lines: of known products, priced. Lines that had an
 * id keep it.
 */
function readLines(
  { world, nowMs }: Call,
  field: string,
  sent: unknown,
  orderNumber: number,
): JsonRecord[] {
  const { lists, shop } = world
  const owner = shop.companyId.slice(0, 8)
  return ((sent as JsonRecord[] | undefined) ?? []).map((line, at) => {
    const product = lists.products.get(String(line['productId']))
    if (product === undefined) throw invalid(`${field}.${at}.productId`, 'There is no such product')
    return {
      id: `${owner}${hex(orderNumber + 0x1000)}${hex(at)}`,
      companyId: shop.companyId,
      shopId: shop.shopId,
      created: nowMs,
      modified: nowMs,
      deleted: false,
      updated: false,
      ...priceLine(line, product, `${field}.${at}`),
      ...(typeof line['id'] === 'string' ? { id: line['id'] } : {}),
    }
  })
}

const hex = (number: number): string => number.toString(16).padStart(8, '0')

/** A new order as it would be kept: `paymentType` is its `poPaymentOptions`. */
function draft(call: Call): JsonRecord {
  const { world, exact, nowMs } = call
  const { currentEmployeeId, paymentType, poProductAddRequestList, ...sent } = withoutOwn(exact)
  const { lists, catalog } = world
  for (const [field, collection] of [
    ['vendorId', lists.vendors],
    ['inventoryId', lists.inventories],
  ] as const) {
    const id = sent[field]
    if (typeof id === 'string' && id !== '' && collection.find(id) === undefined)
      throw invalid(field, `There is nothing with this ${field}`)
  }
  const number = lists.purchase_orders.nextNumber
  const lines = readLines(call, 'poProductAddRequestList', poProductAddRequestList, number)
  const purchaseOrderDate = readNumber(sent['purchaseOrderDate']) ?? nowMs
  return {
    poNumber: `PO-${String(number + 1).padStart(5, '0')}`,
    purchaseOrderStatus: 'InProgress',
    poType: 'Normal',
    customerType: 'VENDOR',
    enableDeliveryCharge: false,
    archive: false,
    manualClose: false,
    inventoryId: catalog.inventories[1],
    adjustmentInfoList: [],
    assignedShipments: [],
    companyAssetList: [],
    ...sent,
    purchaseOrderDate,
    dueDate: dueDate(sent, purchaseOrderDate),
    ...(paymentType === undefined ? {} : { poPaymentOptions: paymentType }),
    ...(currentEmployeeId === undefined ? {} : { createdByEmployeeId: currentEmployeeId }),
    ...orderTotals(sent, lines),
    amountPaid: decimal(0),
    poProductRequestList: lines,
  }
}

/** Until the goods are there the lines may change; what a move implies happens here. */
function update(call: Call): string {
  const { world, exact, nowMs } = call
  const { purchase_orders: orders } = world.lists
  const number = findNumber(orders, call.params['purchaseOrderId']!, 'purchaseOrderId')
  const before = parseExactly(orders.text(number)) as JsonRecord
  const from = before['purchaseOrderStatus'] as OrderStatus
  const to = (exact['purchaseOrderStatus'] ?? from) as OrderStatus
  checkOrderMove(from, to)
  const {
    poNumber: _,
    purchaseOrderPreviousStatus: __,
    currentEmployeeId: ___,
    ...sent
  } = withoutOwn(exact)
  const after: JsonRecord = { ...before, ...sent, purchaseOrderStatus: to }
  const lines = 'poProductRequestList'
  if (SETTLED.has(from)) after[lines] = before[lines]
  else {
    const priced = readLines(call, lines, sent[lines] ?? before[lines], number)
    Object.assign(after, orderTotals(after, priced), { [lines]: priced })
  }
  if (to !== from) takeStep(call, { number, from, to, sent: exact, after })
  return merge(orders, number, after, nowMs)
}

/** The goods are there or will never come: the lines stay as they are. */
const SETTLED: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'ReceivedShipment',
  'Closed',
  'Cancel',
  'Decline',
])

interface Step {
  number: number
  from: OrderStatus
  to: OrderStatus
  /** The order as it will be kept; what the step implies is written into it. */
  after: JsonRecord
  /** The request, which may say who took the step. */
  sent: JsonRecord
}

function takeStep({ world, nowMs }: Call, { number, from, to, sent, after }: Step): void {
  const [manager, clerk] = world.catalog.employees
  const by = (field: string, otherwise: string): void => {
    after[field] = sent[field] ?? sent['currentEmployeeId'] ?? otherwise
  }
  const stamp = ORDER_STAMPS[to]
  after['purchaseOrderPreviousStatus'] = from
  if (stamp !== undefined) after[stamp] = nowMs
  if (to === 'Approved') by('approvedBy', manager!.id)
  if (to === 'Closed') by('completedByEmployeeId', manager!.id)
  if (to === 'ReceivedShipment') {
    by('receivedByEmployeeId', clerk!.id)
    const id = world.lists.purchase_orders.idOf(number)
    after['poProductRequestList'] = receive(world, id, after, nowMs)
  }
}

/** Dates are MM/dd/yyyy (Limits, rule 2). Reading: `/list` is everything, page by page. */
export const purchaseOrderRoutes: readonly Route[] = [
  play('listPurchaseOrdersByDates', call =>
    list(call, {
      collection: call.world.lists.purchase_orders,
      range: readDays(call.query, dateRules(call, { limited: true })),
      sortedBy: 'modified',
    }),
  ),
  play('listPurchaseOrders', call =>
    list(call, {
      collection: call.world.lists.purchase_orders,
      range: EVERYTHING,
      sortedBy: 'modified',
    }),
  ),
  play('getPurchaseOrder', call =>
    single(call.world.lists.purchase_orders, call.params['purchaseOrderId']!, 'purchaseOrderId'),
  ),
  play('createPurchaseOrder', call => {
    if ((call.body['poProductAddRequestList'] as unknown[]).length === 0)
      throw invalid('poProductAddRequestList', 'poProductAddRequestList is required')
    return create(call.world.lists.purchase_orders, draft(call), call.nowMs)
  }),
  play('preparePurchaseOrder', draft),
  play('updatePurchaseOrder', update, { merges: true }),
]
