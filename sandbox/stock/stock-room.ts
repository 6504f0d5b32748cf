import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Lists } from '../model/lists.ts'
import { quantity, readQuantity } from '../values/quantity.ts'

/**
 * Where some of a product was taken from, as transactions carry it; `amount` is in ten-thousandths.
 */
export interface Portion {
  batchId: string
  inventoryId: string
  amount: number
}

interface Shelf extends Portion {
  productId: string
  purchasedMs: number
}

/** Reading: what is tested, in error, on its way or used up is not for sale. */
const FOR_SALE = new Set<unknown>(['RECEIVED', 'READY_FOR_SALE'])

/**
 * How much of each batch lies in each room: the one source of quantities. What products, batches
 * and rooms say about them is brought up to date by the same change.
 */
export class StockRoom {
  private readonly lists: Lists

  constructor(lists: Lists) {
    this.lists = lists
  }

  /**
   * Everything that lies somewhere of a batch, a product, or in a room; rows may be zero. Oldest
   * purchase first.
   */
  shelves(field: 'batchId' | 'productId' | 'inventoryId', id: string): Shelf[] {
    const { batch_quantities: rows } = this.lists
    return rows
      .where(field, id)
      .map(number => shelfOf(rows.read(number)))
      .sort((a, b) => a.purchasedMs - b.purchasedMs || (a.batchId < b.batchId ? -1 : 1))
  }

  amountOf(batchId: string, inventoryId: string): number {
    const number = this.rowOf(batchId, inventoryId)
    return number === undefined ? 0 : shelfOf(this.lists.batch_quantities.read(number)).amount
  }

  /** The same as a number token. */
  tokenOf(batchId: string, inventoryId: string): object {
    return quantity(this.amountOf(batchId, inventoryId))
  }

  /**
   * What can be sold of a product, from the one room or from all but quarantine. Front rooms come
   * first, then the oldest batch.
   */
  sellable(productId: string, inventoryId?: string): Portion[] {
    const { batches, inventories } = this.lists
    const rank = (room: string): number =>
      JSON.stringify(inventories.get(room)?.['roomType'] ?? '').includes('FRONT') ? 0 : 1
    return this.shelves('productId', productId)
      .filter(shelf => {
        const batch = batches.get(shelf.batchId)
        return (
          shelf.amount > 0 &&
          (inventoryId === undefined
            ? inventories.get(shelf.inventoryId)?.['type'] !== 'Quarantine'
            : shelf.inventoryId === inventoryId) &&
          batch?.['deleted'] === false &&
          FOR_SALE.has(batch['status'])
        )
      })
      .sort((a, b) => rank(a.inventoryId) - rank(b.inventoryId))
      .map(({ batchId, inventoryId: room, amount }) => ({ batchId, inventoryId: room, amount }))
  }

  /**
   * Takes `amount` ten-thousandths of a product out of stock and says from which batches and rooms,
   * for `quantityLogs`. Refused (400) if there is not so much, and then nothing is taken. `from`
   * narrows it to a room, a batch, or both.
   */
  take(
    productId: string,
    amount: number,
    nowMs: number,
    from: { inventoryId?: string; batchId?: string } = {},
  ): Portion[] {
    const taken: Portion[] = []
    let missing = amount
    for (const portion of this.sellable(productId, from.inventoryId)) {
      if (missing <= 0) break
      if (from.batchId !== undefined && portion.batchId !== from.batchId) continue
      const part = Math.min(missing, portion.amount)
      taken.push({ ...portion, amount: part })
      missing -= part
    }
    if (missing > 0) throw invalid('quantity', 'There is not enough of this product in stock')
    this.change(
      taken.map(portion => ({ ...portion, amount: -portion.amount })),
      nowMs,
    )
    return taken
  }

  /** Puts portions back where they came from. */
  put(portions: readonly Portion[], nowMs: number): void {
    this.change(portions, nowMs)
  }

  /**
   * Adds each portion, which may be negative, to its batch and room. Refused (400) where less than
   * nothing would be left.
   */
  change(portions: readonly Portion[], nowMs: number): void {
    const { batch_quantities: rows, batches } = this.lists
    for (const { batchId, inventoryId, amount } of portions) {
      const number = this.rowOf(batchId, inventoryId)
      const after = (number === undefined ? 0 : shelfOf(rows.read(number)).amount) + amount
      if (after < 0) throw invalid('quantity', 'There is not so much of this batch in this room')
      if (number !== undefined) rows.edit(number, { quantity: quantity(after) }, nowMs)
      else {
        const batch = batches.get(batchId)
        rows.insert(
          {
            batchId,
            inventoryId,
            productId: batch?.['productId'],
            quantity: quantity(after),
            batchPurchaseDate: batch?.['purchasedDate'] ?? nowMs,
          },
          nowMs,
        )
      }
    }
    this.updateQuantities(new Set(portions.map(({ batchId }) => batchId)), nowMs)
  }

  /** Brings what batches and their products say up to date with the shelves. */
  private updateQuantities(batchIds: ReadonlySet<string>, nowMs: number): void {
    const { batches, products } = this.lists
    const productIds = new Set<string>()
    for (const id of batchIds) {
      const number = batches.find(id)
      if (number === undefined) continue
      const live = sum(this.shelves('batchId', id))
      batches.edit(
        number,
        {
          liveQuantity: quantity(live),
          publishedQuantity: quantity(live),
          extQuantity: quantity(live),
        },
        nowMs,
      )
      productIds.add(String(batches.read(number)['productId']))
    }
    for (const id of productIds) {
      const number = products.find(id)
      if (number !== undefined) products.edit(number, this.quantitiesOf(id), nowMs)
    }
  }

  /** The fields of a product that follow from the shelves. */
  quantitiesOf(productId: string): JsonRecord {
    const rooms = new Map<string, number>()
    const shelves = this.shelves('productId', productId)
    for (const { inventoryId, amount } of shelves)
      rooms.set(inventoryId, (rooms.get(inventoryId) ?? 0) + amount)
    const onHand = sum(shelves)
    return {
      quantities: [...rooms].map(([inventoryId, amount]) => ({
        inventoryId,
        quantity: quantity(amount),
      })),
      totalSellableQuantity: quantity(onHand),
      instock: onHand > 0,
    }
  }

  private rowOf(batchId: string, inventoryId: string): number | undefined {
    const { batch_quantities: rows } = this.lists
    return rows
      .where('batchId', batchId)
      .find(number => rows.read(number)['inventoryId'] === inventoryId)
  }
}

const sum = (shelves: readonly Shelf[]): number =>
  shelves.reduce((all, { amount }) => all + amount, 0)

function shelfOf(row: JsonRecord): Shelf {
  return {
    batchId: String(row['batchId']),
    inventoryId: String(row['inventoryId']),
    productId: String(row['productId']),
    amount: readQuantity(row['quantity']) ?? 0,
    purchasedMs: Number(row['batchPurchaseDate'] ?? 0),
  }
}
