import { PartnerError, TillageError } from '../errors.ts'
import { toAmount } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import { textOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { roomQuantities } from './lists.ts'
import type { StoreApi } from './store-api.ts'

/** A lot in a room, as a key. */
export const lotKey = (inventoryId: string, batchId: string): string => `${inventoryId}/${batchId}`

export const roomAndLot = (key: string): { inventoryId: string; batchId: string } => {
  const [inventoryId = '', batchId = ''] = key.split('/')
  return { inventoryId, batchId }
}

/** How much of each lot lies in each room: the sum of its rows, of which there may be several. */
export type Quantities = Map<string, Amount>

/** Of whole rooms, room by room; `productIds` serve where the API has no such list. */
export async function readRooms(
  api: StoreApi,
  inventoryIds: readonly string[],
  productIds: () => Promise<readonly string[]>,
): Promise<Quantities> {
  const quantities: Quantities = new Map()
  try {
    const lists = await Promise.all(
      inventoryIds.map(async inventoryId => ({
        inventoryId,
        rows: await api.readList(roomQuantities, { inventoryId }),
      })),
    )
    for (const { inventoryId, rows } of lists)
      for (const row of rows)
        // An API that does not look at the parameter shows all rooms each time.
        if ((textOf(row['inventoryId']) ?? inventoryId) === inventoryId)
          add(quantities, { ...row, inventoryId })
    return quantities
  } catch (error) {
    if (!isNotOffered(error)) throw error
    const all = await readProducts(api, await productIds())
    return new Map([...all].filter(([key]) => inventoryIds.includes(roomAndLot(key).inventoryId)))
  }
}

/** Of all lots of some products, in every room: one request a product. */
export async function readProducts(
  api: StoreApi,
  productIds: readonly string[],
): Promise<Quantities> {
  const quantities: Quantities = new Map()
  const lists = await Promise.all(
    productIds.map(async productId =>
      allOf(await api.read('getBatchQuantityInfo', { parameters: { productId } }), productId),
    ),
  )
  for (const row of lists.flat()) add(quantities, row)
  return quantities
}

/**
 * The rows of a product, of which the documentation shows no pages: fails where the API says that
 * there are more than it shows (INV-1).
 */
export function allOf<Row>(
  { items, total }: { items: readonly Row[]; total: number | null },
  productId: string,
): readonly Row[] {
  if (total === null || total <= items.length) return items
  throw new TillageError(
    'NOT_PROVEN',
    `the API says that there are ${total} quantities of the product ${productId}, ` +
      `and shows ${items.length}`,
    { remedy: 'No quantity was assumed to be 0. Ask the operator of the API.' },
  )
}

/** As of lots that will be changed or were: by product, else by room. */
export async function readLots(
  api: StoreApi,
  lots: readonly { inventoryId: string; productId: string }[],
): Promise<Quantities> {
  try {
    return await readProducts(api, [...new Set(lots.map(({ productId }) => productId))])
  } catch (error) {
    if (!isNotOffered(error)) throw error
    const rooms = [...new Set(lots.map(({ inventoryId }) => inventoryId))]
    return readRooms(api, rooms, async () => {
      throw error
    })
  }
}

const isNotOffered = (error: unknown): boolean =>
  error instanceof PartnerError && [404, 405, 501].includes(error.refused?.status ?? 0)

/** A row that says neither lot nor room hides what it holds, unless that is nothing. */
function add(quantities: Quantities, row: Fields): void {
  const batchId = textOf(row['batchId'])
  const inventoryId = textOf(row['inventoryId'])
  const amount = toAmount(row['quantity'])
  if (amount === 0n && (batchId === undefined || inventoryId === undefined)) return
  if (amount === undefined || batchId === undefined || inventoryId === undefined)
    throw unknownRow(row)
  const key = lotKey(inventoryId, batchId)
  quantities.set(key, (quantities.get(key) ?? 0n) + amount)
}

/** What is missing, or is no decimal, is unknown, which is not 0 (INV-4). */
function unknownRow({ batchId, inventoryId, quantity }: Fields): PartnerError {
  const received = JSON.stringify({ batchId, inventoryId, quantity })
  return new PartnerError(
    'PARTNER_ENVELOPE',
    `a quantity of a lot came as ${received}; it needs batchId, inventoryId and a decimal`,
    {
      remedy:
        'No quantity was assumed to be 0. Look at it: tillage api GET .../store/batches/quantities',
    },
  )
}
