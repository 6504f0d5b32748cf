import { DAY_MS, HOUR_MS } from '../../calendar/days.ts'
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
/** Goods that arrive: a line of a purchase order, or what was there before the seeded days. */
interface Arrival {
  product: Product
  quantity: number
  costPerUnit: number
  receivedMs: number
  purchaseOrder: PurchaseOrder | undefined
}

/**
 * What was bought and what lies on the shelves: each received line of a purchase order became one
 * batch.
 */
export function makeStock(shop: Shop, catalog: Catalog): Stock {
  const dice = new Dice(mix(shop.seed, 0x570c))
  const { startMs, endMs } = shop.timeline
  const orderIds = makeIds(shop.seed, ID_TAGS.purchaseOrder)
  const pickLines = linePicker(shop, catalog, dice)
  const batches: Batch[] = []
  const batchesOf: Batch[][] = catalog.products.map(() => [])
  const add = (arrival: Arrival): void => {
    const batch = makeBatch(shop, batches.length, arrival, dice)
    batches.push(batch)
    batchesOf[batch.product.number]!.push(batch)
  }

  for (const product of catalog.products)
    add({
      product,
      quantity: dice.between(40, 400),
      costPerUnit: product.unitCost,
      receivedMs: startMs - DAY_MS - dice.below(120 * DAY_MS),
      purchaseOrder: undefined,
    })

  const orderedAt = Array.from(
    { length: PURCHASE_ORDERS },
    () => startMs - 21 * DAY_MS + dice.below(endMs - startMs + 20 * DAY_MS),
  ).sort((a, b) => a - b)
  const purchaseOrders = orderedAt.map((orderedMs, number): PurchaseOrder => {
    const id = orderIds.of(number)
    const order = { id, number, ...makeOrder(shop, orderedMs, pickLines(), dice) }
    const purchaseOrder = { ...order, poNumber: `PO-${String(number + 1).padStart(5, '0')}` }
    if (purchaseOrder.receivedMs !== undefined)
      receiveLines(purchaseOrder, purchaseOrder.receivedMs, dice, add)
    return purchaseOrder
  })
  for (const list of batchesOf) list.sort((a, b) => a.receivedMs - b.receivedMs)
  return { purchaseOrders, batches, batchesOf }
}

function makeBatch(
  shop: Shop,
  number: number,
  { product, quantity, costPerUnit, receivedMs, purchaseOrder }: Arrival,
  dice: Dice,
): Batch {
  const { timeline } = shop
  const archived = receivedMs < timeline.startMs - 60 * DAY_MS && dice.chance(0.4)
  return {
    id: makeIds(shop.seed, ID_TAGS.batch).of(number),
    number,
    batchNo: number + 1,
    product,
    purchaseOrder,
    costPerUnit,
    quantity,
    live: archived ? 0 : Math.floor(quantity * (dice.below(100) / 100)),
    status: archived ? 'FINISHED' : pickBatchStatus(dice),
    receivedMs,
    created: receivedMs,
    modified: timeline.momentAfter(receivedMs, dice),
    archived,
    deleted: dice.chance(0.006),
  }
}

function pickBatchStatus(dice: Dice): Batch['status'] {
  if (dice.chance(0.03)) return 'IN_TESTING'
  return dice.chance(0.05) ? 'RECEIVED' : 'READY_FOR_SALE'
}

/** Picks a vendor, and lines of that vendor's products; lines are numbered through all orders. */
function linePicker(shop: Shop, catalog: Catalog, dice: Dice): () => PurchaseLine[] {
  const ids = makeIds(shop.seed, ID_TAGS.line)
  let next = 0
  return () => {
    const { vendor } = dice.pick(catalog.products)
    const choice = catalog.products.filter(product => product.vendor === vendor)
    return Array.from({ length: dice.between(2, 7) }, (): PurchaseLine => {
      const product = dice.pick(choice)
      const { weighed } = product.category
      const quantity = weighed ? dice.between(2, 12) * 113 : dice.between(2, 40) * 6
      return {
        id: ids.of(next++),
        product,
        quantity,
        received: 0,
        unitCost: Math.max(1, product.unitCost + dice.between(-20, 40)),
      }
    })
  }
}

/** When the steps of an order were taken; undefined: not yet, or never. */
interface Course {
  orderedMs: number
  approvedMs: number | undefined
  receivedMs: number | undefined
  completedMs: number | undefined
  refused: boolean
}

function makeOrder(
  shop: Shop,
  orderedMs: number,
  lines: PurchaseLine[],
  dice: Dice,
): Omit<PurchaseOrder, 'id' | 'number' | 'poNumber'> {
  const { timeline } = shop
  const { refused, ...course } = followOrder(orderedMs, timeline.endMs, dice)
  const { approvedMs, receivedMs, completedMs } = course
  const lastMs =
    completedMs ?? receivedMs ?? approvedMs ?? Math.min(orderedMs + 60_000, timeline.endMs - 1)
  return {
    vendor: lines[0]!.product.vendor,
    lines,
    status: pickOrderStatus({ refused, ...course }, dice),
    ...course,
    created: orderedMs,
    modified:
      lastMs < timeline.startMs
        ? timeline.momentAfter(timeline.startMs, dice)
        : timeline.modifiedAfter(lastMs, dice.bits()),
    deleted: dice.chance(0.01),
  }
}

function followOrder(orderedMs: number, endMs: number, dice: Dice): Course {
  const receivedMs = orderedMs + 2 * DAY_MS + dice.below(5 * DAY_MS)
  const refused = dice.chance(0.03)
  const arrived = !refused && receivedMs < endMs - DAY_MS
  const completed = arrived && dice.chance(0.9) && receivedMs + HOUR_MS < endMs
  const completedMs = completed ? receivedMs + dice.between(600_000, HOUR_MS) : undefined
  const approved = !refused && orderedMs + 2 * HOUR_MS < endMs
  const approvedMs = approved ? orderedMs + dice.between(600_000, 2 * HOUR_MS) : undefined
  return {
    orderedMs,
    approvedMs,
    receivedMs: arrived ? receivedMs : undefined,
    completedMs,
    refused,
  }
}

function pickOrderStatus(course: Course, dice: Dice): PurchaseOrder['status'] {
  if (course.refused) return dice.pick(['Cancel', 'Decline'])
  if (course.completedMs !== undefined) return 'Closed'
  if (course.receivedMs !== undefined) return dice.pick(['ReceivingShipment', 'ReceivedShipment'])
  if (course.approvedMs !== undefined) return dice.pick(['Approved', 'WaitingShipment'])
  return dice.pick(['InProgress', 'RequiredApproval'])
}

/** Each line becomes a batch; now and then a tenth of it did not come. */
function receiveLines(
  purchaseOrder: PurchaseOrder,
  receivedMs: number,
  dice: Dice,
  add: (arrival: Arrival) => void,
): void {
  for (const line of purchaseOrder.lines) {
    line.received = dice.chance(0.05) ? Math.floor(line.quantity * 0.9) : line.quantity
    add({
      product: line.product,
      quantity: line.received,
      costPerUnit: line.unitCost,
      receivedMs,
      purchaseOrder,
    })
  }
}
