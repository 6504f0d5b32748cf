import type { Sandbox } from '../../../sandbox/server.ts'
import type { Row } from '../asking.ts'
import { askJson, everything, sandboxWith } from '../asking.ts'

/** A sandbox, the rooms of its first store, and a product that has stock there. */
export interface StockedStore {
  sandbox: Sandbox
  rooms: Row[]
  product: Row
}

export async function startStockedStore(): Promise<StockedStore> {
  const sandbox = await sandboxWith({ transactionsPerDay: 5 })
  const rooms = await everything(sandbox, '/store/inventories')
  const products = await everything(sandbox, '/products')
  const product = products.find(row => row['instock'] === true && row['deleted'] === false)!
  return { sandbox, rooms, product }
}

/** How much of a batch is in a room. */
export interface Shelf extends Row {
  batchId: string
  inventoryId: string
  quantity: number
}

export const readShelves = (sandbox: Sandbox, productId: string): Promise<Shelf[]> =>
  askJson<Shelf[]>(sandbox, `/store/batches/${productId}/batchQuantityInfo`)

export const quantityIn = (shelves: readonly Shelf[], room: string): number =>
  shelves
    .filter(({ inventoryId }) => inventoryId === room)
    .reduce((sum, { quantity }) => sum + quantity, 0)

export async function readBatch(sandbox: Sandbox, id: string): Promise<Row> {
  const page = await askJson<{ values: Row[] }>(sandbox, `/store/batches?batchId=${id}`)
  return page.values[0]!
}
