import { decimal } from '../values/money.ts'
import type { Catalog } from './catalog.ts'
import type { Batch, Stock } from './stock.ts'

/**
 * Where the pieces of one batch lie: what is being tested in quarantine, the rest on the floor and,
 * more than a third, in the vault.
 */
export function placesOf(
  catalog: Catalog,
  batch: Batch,
): [inventoryId: string, quantity: number][] {
  const [floor, vault, quarantine] = catalog.inventories as [string, string, string]
  if (batch.deleted) return []
  if (batch.status === 'IN_TESTING') return [[quarantine, batch.live]]
  const onFloor = Math.floor(batch.live * 0.6)
  return [
    [floor, onFloor],
    [vault, batch.live - onFloor],
  ]
}

/** Pieces by room, of some batches together; the floor and the vault are always named. */
export function roomsOf(catalog: Catalog, batches: readonly Batch[]): Map<string, number> {
  const rooms = new Map<string, number>([
    [catalog.inventories[0]!, 0],
    [catalog.inventories[1]!, 0],
  ])
  for (const batch of batches)
    for (const [room, quantity] of placesOf(catalog, batch))
      rooms.set(room, (rooms.get(room) ?? 0) + quantity)
  return rooms
}

export interface BatchQuantity {
  batch: Batch
  inventoryId: string
  quantity: number
  created: number
  modified: number
}

/** One row for each batch and room, which is what every other quantity follows from. */
export function batchQuantities(catalog: Catalog, stock: Stock): BatchQuantity[] {
  return stock.batches.flatMap(batch =>
    placesOf(catalog, batch).map(([inventoryId, quantity]) => ({
      batch,
      inventoryId,
      quantity,
      created: batch.created,
      modified: batch.modified,
    })),
  )
}

/** Fields are not shown: these are what public clients read. */
export function batchQuantityRecord({ batch, inventoryId, quantity }: BatchQuantity): object {
  return {
    batchId: batch.id,
    inventoryId,
    productId: batch.product.id,
    quantity: decimal(quantity * 100),
    batchPurchaseDate: batch.receivedMs,
  }
}
