import { DAY_MS } from '../../calendar/days.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { World } from '../model/world.ts'
import { decimal, readNumber } from '../values/money.ts'
import { quantity, readQuantity } from '../values/quantity.ts'

/**
 * The goods of an order are there: each line becomes a batch in the order's room (the vault if it
 * names none) with what came of it, all of it unless the line says how much. Returns the lines as
 * they are then.
 */
export function receive(
  world: World,
  orderId: string,
  order: JsonRecord,
  nowMs: number,
): JsonRecord[] {
  const { lists, catalog, stock, shop } = world
  const room =
    typeof order['inventoryId'] === 'string' && order['inventoryId'] !== ''
      ? order['inventoryId']
      : catalog.inventories[1]!
  return ((order['poProductRequestList'] as JsonRecord[] | undefined) ?? []).map(line => {
    const product = lists.products.get(String(line['productId']))!
    const told = readQuantity(line['receivedQuantity']) ?? 0
    const amount = told > 0 ? told : readQuantity(line['requestQuantity'])!
    const batchNo = lists.batches.nextNumber + 1
    const vendor = lists.vendors.get(String(order['vendorId'] ?? product['vendorId']))
    const cannabis = (product['category'] as JsonRecord | undefined)?.['cannabis'] === true
    const batchId = lists.batches.insert(
      {
        productId: product['id'],
        productName: product['name'],
        vendorId: vendor?.['id'],
        vendorName: vendor?.['name'],
        brandId: product['brandId'],
        brandName: product['brandName'],
        sku: `B-${String(batchNo).padStart(6, '0')}`,
        batchNo,
        purchaseOrderId: orderId,
        poNumber: order['poNumber'],
        status: 'RECEIVED',
        batchType: 'SALE',
        trackTraceSystem: cannabis ? 'EXT_A' : 'MANUAL',
        trackTraceVerified: cannabis,
        ...(cannabis
          ? {
              trackPackageLabel: `1A4060300${String(shop.index).padStart(3, '0')}${String(batchNo - 1).padStart(12, '0')}`,
            }
          : {}),
        quantity: quantity(amount),
        cost: decimal(Math.round(((readNumber(line['unitPrice']) ?? 0) * 100 * amount) / 10_000)),
        costPerUnit: line['unitPrice'],
        perUnitExciseTax: decimal(0),
        totalExciseTax: decimal(0),
        totalCultivationTax: decimal(0),
        unitWeightType: product['byGram'] === true ? 'GRAM' : 'NONE',
        thc: decimal(Math.round((readNumber(product['thc']) ?? 0) * 100)),
        cbd: decimal(Math.round((readNumber(product['cbd']) ?? 0) * 100)),
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
      },
      nowMs,
    )
    stock.change([{ batchId, inventoryId: room, amount }], nowMs)
    return {
      ...line,
      receivedQuantity: quantity(amount),
      requestStatus: 'ACCEPTED',
      batches: [{ batchId, quantity: quantity(amount) }],
    }
  })
}
