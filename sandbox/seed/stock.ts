import { DAY_MS } from '../../calendar/days.ts'
import { makeIds } from '../values/ids.ts'
import { Dice, mix } from '../values/random.ts'
import type { Catalog, Product, Vendor } from './catalog.ts'
import { ID_TAGS } from './catalog.ts'
import type { Shop } from './stores.ts'

export interface PurchaseOrder {
  id: string
  number: number
  poNumber: string
  vendor: Vendor
  lines: PurchaseLine[]
  status:
    | 'InProgress'
    | 'RequiredApproval'
    | 'Approved'
    | 'WaitingShipment'
    | 'ReceivingShipment'
    | 'ReceivedShipment'
    | 'Closed'
    | 'Cancel'
    | 'Decline'
  orderedMs: number
  approvedMs: number | undefined
  receivedMs: number | undefined
  completedMs: number | undefined
  created: number
  modified: number
  deleted: boolean
}

export interface PurchaseLine {
  id: string
  product: Product
  /** Pieces or grams. */
  quantity: number
  received: number
  unitCost: number
}

export interface Batch {
  id: string
  number: number
  batchNo: number
  product: Product
  purchaseOrder: PurchaseOrder | undefined
  costPerUnit: number
  quantity: number
  live: number
  status: 'RECEIVED' | 'IN_TESTING' | 'READY_FOR_SALE' | 'FINISHED'
  receivedMs: number
  created: number
  modified: number
  archived: boolean
  deleted: boolean
}

export interface Stock {
  purchaseOrders: readonly PurchaseOrder[]
  batches: readonly Batch[]
  /**
   * By product number, in order of receipt; every product has one that was received before the
   * seeded days.
   */
  batchesOf: readonly (readonly Batch[])[]
}

const PURCHASE_ORDERS = 150
/**
 * What was bought and what lies on the shelves: each received line of a purchase order became one
 * batch.
 */
export function makeStock(shop: Shop, catalog: Catalog): Stock {
  const dice = new Dice(mix(shop.seed, 0x570c))
  const { startMs, endMs } = shop.timeline
  const orderIds = makeIds(shop.seed, ID_TAGS.purchaseOrder)
  const lineIds = makeIds(shop.seed, ID_TAGS.line)
  const batchIds = makeIds(shop.seed, ID_TAGS.batch)
  const batches: Batch[] = []
  const batchesOf: Batch[][] = catalog.products.map(() => [])

  const addBatch = (
    product: Product,
    quantity: number,
    costPerUnit: number,
    receivedMs: number,
    purchaseOrder: PurchaseOrder | undefined,
  ): void => {
    const number = batches.length
    const archived = receivedMs < startMs - 60 * DAY_MS && dice.chance(0.4)
    const batch: Batch = {
      id: batchIds.of(number),
      number,
      batchNo: number + 1,
      product,
      purchaseOrder,
      costPerUnit,
      quantity,
      live: archived ? 0 : Math.floor(quantity * (dice.below(100) / 100)),
      status: archived
        ? 'FINISHED'
        : dice.chance(0.03)
          ? 'IN_TESTING'
          : dice.chance(0.05)
            ? 'RECEIVED'
            : 'READY_FOR_SALE',
      receivedMs,
      created: receivedMs,
      modified: shop.timeline.momentAfter(receivedMs, dice),
      archived,
      deleted: dice.chance(0.006),
    }
    batches.push(batch)
    batchesOf[product.number]!.push(batch)
  }

  for (const product of catalog.products)
    addBatch(
      product,
      dice.between(40, 400),
      product.unitCost,
      startMs - DAY_MS - dice.below(120 * DAY_MS),
      undefined,
    )

  const orderedAt = Array.from(
    { length: PURCHASE_ORDERS },
    () => startMs - 21 * DAY_MS + dice.below(endMs - startMs + 20 * DAY_MS),
  ).sort((a, b) => a - b)
  let lineNumber = 0
  const purchaseOrders = orderedAt.map((orderedMs, number): PurchaseOrder => {
    const vendor = dice.pick(catalog.products).vendor
    const choice = catalog.products.filter(product => product.vendor === vendor)
    const lines = Array.from({ length: dice.between(2, 7) }, (): PurchaseLine => {
      const product = dice.pick(choice)
      const quantity = product.category.weighed
        ? dice.between(2, 12) * 113
        : dice.between(2, 40) * 6
      return {
        id: lineIds.of(lineNumber++),
        product,
        quantity,
        received: 0,
        unitCost: Math.max(1, product.unitCost + dice.between(-20, 40)),
      }
    })
    const receivedMs = orderedMs + 2 * DAY_MS + dice.below(5 * DAY_MS)
    const refused = dice.chance(0.03)
    const arrived = !refused && receivedMs < endMs - DAY_MS
    const completedMs =
      arrived && dice.chance(0.9) && receivedMs + 3_600_000 < endMs
        ? receivedMs + dice.between(600_000, 3_600_000)
        : undefined
    const approvedMs =
      !refused && orderedMs + 7_200_000 < endMs
        ? orderedMs + dice.between(600_000, 7_200_000)
        : undefined
    const last =
      completedMs ??
      (arrived ? receivedMs : (approvedMs ?? Math.min(orderedMs + 60_000, endMs - 1)))
    const order: PurchaseOrder = {
      id: orderIds.of(number),
      number,
      poNumber: `PO-${String(number + 1).padStart(5, '0')}`,
      vendor,
      lines,
      status: refused
        ? dice.pick(['Cancel', 'Decline'])
        : completedMs !== undefined
          ? 'Closed'
          : arrived
            ? dice.pick(['ReceivingShipment', 'ReceivedShipment'])
            : approvedMs === undefined
              ? dice.pick(['InProgress', 'RequiredApproval'])
              : dice.pick(['Approved', 'WaitingShipment']),
      orderedMs,
      approvedMs,
      receivedMs: arrived ? receivedMs : undefined,
      completedMs,
      created: orderedMs,
      modified:
        last < startMs
          ? shop.timeline.momentAfter(startMs, dice)
          : shop.timeline.modifiedAfter(last, dice.bits()),
      deleted: dice.chance(0.01),
    }
    for (const line of lines) {
      if (!arrived) continue
      line.received = dice.chance(0.05) ? Math.floor(line.quantity * 0.9) : line.quantity
      addBatch(line.product, line.received, line.unitCost, receivedMs, order)
    }
    return order
  })
  for (const list of batchesOf) list.sort((a, b) => a.receivedMs - b.receivedMs)
  return { purchaseOrders, batches, batchesOf }
}
