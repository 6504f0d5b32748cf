import { invalid } from '../http/api-error.ts'
import { EVERYTHING, readDays } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { create, findNumber, merge, withoutOwn } from '../model/records.ts'
import type { World } from '../model/world.ts'
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
  { lists, shop }: World,
  field: string,
  sent: unknown,
  orderNumber: number,
  nowMs: number,
): JsonRecord[] {
  return ((sent as JsonRecord[] | undefined) ?? []).map((line, at) => {
    const product = lists.products.get(String(line['productId']))
    if (product === undefined) throw invalid(`${field}.${at}.productId`, 'There is no such product')
    const own = {
      id: `${shop.companyId.slice(0, 8)}${(orderNumber + 0x1000).toString(16).padStart(8, '0')}${at.toString(16).padStart(8, '0')}`,
      companyId: shop.companyId,
      shopId: shop.shopId,
      created: nowMs,
      modified: nowMs,
      deleted: false,
      updated: false,
    }
    return {
      ...own,
      ...priceLine(line, product, `${field}.${at}`),
      ...(typeof line['id'] === 'string' ? { id: line['id'] } : {}),
    }
  })
}

/** A new order as it would be kept: `paymentType` is its `poPaymentOptions`. */
function draft({ world, exact, nowMs }: Call): JsonRecord {
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
  const lines = readLines(world, 'poProductAddRequestList', poProductAddRequestList, number, nowMs)
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
    currentEmployeeId,
    ...sent
  } = withoutOwn(exact)
  const after: JsonRecord = { ...before, ...sent, purchaseOrderStatus: to }
  const arrived = ['ReceivedShipment', 'Closed', 'Cancel', 'Decline'].includes(from)
  if (arrived) after['poProductRequestList'] = before['poProductRequestList']
  else {
    const lines = readLines(
      world,
      'poProductRequestList',
      sent['poProductRequestList'] ?? before['poProductRequestList'],
      number,
      nowMs,
    )
    Object.assign(after, orderTotals(after, lines), { poProductRequestList: lines })
  }
  if (to !== from) {
    const stamp = ORDER_STAMPS[to]
    Object.assign(
      after,
      { purchaseOrderPreviousStatus: from },
      stamp === undefined ? {} : { [stamp]: nowMs },
    )
    if (to === 'Approved')
      after['approvedBy'] =
        sent['approvedBy'] ?? currentEmployeeId ?? world.catalog.employees[0]!.id
    if (to === 'ReceivedShipment') {
      after['receivedByEmployeeId'] =
        sent['receivedByEmployeeId'] ?? currentEmployeeId ?? world.catalog.employees[1]!.id
      after['poProductRequestList'] = receive(world, orders.idOf(number), after, nowMs)
    }
    if (to === 'Closed')
      after['completedByEmployeeId'] =
        sent['completedByEmployeeId'] ?? currentEmployeeId ?? world.catalog.employees[0]!.id
  }
  return merge(orders, number, after, nowMs)
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
