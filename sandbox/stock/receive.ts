import { DAY_MS } from '../../calendar/days.ts'
import { recordOf } from '../commerce/values.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { World } from '../model/world.ts'
import { packageLabel } from '../seed/stock-records.ts'
import { decimal, readNumber } from '../values/money.ts'
import { quantity, readQuantity } from '../values/quantity.ts'

/**
 * The goods of an order are there: each line becomes a batch in the order's room (the vault if it
 * names none) with the received quantity: all of it, unless the line says how much. Returns the
 * lines as they are then.
 */
export function receive(
  world: World,
  orderId: string,
  order: JsonRecord,
  nowMs: number,
): JsonRecord[] {
  const named = order['inventoryId']
  const room = typeof named === 'string' && named !== '' ? named : world.catalog.inventories[1]!
  const lines = (order['poProductRequestList'] as JsonRecord[] | undefined) ?? []
  return lines.map(line => {
    const received = readQuantity(line['receivedQuantity']) ?? 0
    const amount = received > 0 ? received : readQuantity(line['requestQuantity'])!
    const batch = {
      purchaseOrderId: orderId,
      poNumber: order['poNumber'],
      ...goodsFields(world, order, line),
      ...costFields(line, amount),
      ...shelfFields(room, nowMs),
    }
    const batchId = world.lists.batches.insert(batch, nowMs)
    world.stock.change([{ batchId, inventoryId: room, amount }], nowMs)
    return {
      ...line,
      receivedQuantity: quantity(amount),
      requestStatus: 'ACCEPTED',
      batches: [{ batchId, quantity: quantity(amount) }],
    }
  })
}

/** What the goods are: of which product, vendor and brand, with which tag. */
function goodsFields({ lists, shop }: World, order: JsonRecord, line: JsonRecord): JsonRecord {
  const product = lists.products.get(String(line['productId']))!
  const vendor = lists.vendors.get(String(order['vendorId'] ?? product['vendorId']))
  const cannabis = recordOf(product['category'])['cannabis'] === true
  const batchNo = lists.batches.nextNumber + 1
  return {
    productId: product['id'],
    productName: product['name'],
    vendorId: vendor?.['id'],
    vendorName: vendor?.['name'],
    brandId: product['brandId'],
    brandName: product['brandName'],
    sku: `B-${String(batchNo).padStart(6, '0')}`,
    batchNo,
    batchType: 'SALE',
    trackTraceSystem: cannabis ? 'EXT_A' : 'MANUAL',
    trackTraceVerified: cannabis,
    ...(cannabis ? { trackPackageLabel: packageLabel(shop, batchNo - 1) } : {}),
    unitWeightType: product['byGram'] === true ? 'GRAM' : 'NONE',
    thc: percent(product['thc']),
    cbd: percent(product['cbd']),
  }
}

const percent = (value: unknown): object => decimal(Math.round((readNumber(value) ?? 0) * 100))

function costFields(line: JsonRecord, amount: number): JsonRecord {
  const unitPrice = readNumber(line['unitPrice']) ?? 0
  return {
    quantity: quantity(amount),
    cost: decimal(Math.round((unitPrice * 100 * amount) / 10_000)),
    costPerUnit: line['unitPrice'],
    perUnitExciseTax: decimal(0),
    totalExciseTax: decimal(0),
    totalCultivationTax: decimal(0),
  }
}

const shelfFields = (room: string, nowMs: number): JsonRecord => ({
  status: 'RECEIVED',
  purchasedDate: nowMs,
  receiveDate: nowMs,
  expirationDate: nowMs + 365 * DAY_MS,
  sellBy: nowMs + 330 * DAY_MS,
  active: true,
  archived: false,
  published: false,
  unsellable: false,
  voidStatus: false,
  roomId: room,
  notes: [],
  attachments: [],
  bundleItems: [],
})
