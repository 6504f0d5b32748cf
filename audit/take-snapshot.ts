import { randomBytes } from 'node:crypto'
import { toIso } from '../calendar/days.ts'
import { PartnerError, TillageError, UsageError } from '../errors.ts'
import { amountText } from '../money/amount.ts'
import { suggest } from '../names.ts'
import { nameKey } from '../outbound/approval.ts'
import { amountOf, textOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { completeCatalog, lotOf, readCatalog } from './catalog.ts'
import type { Catalog } from './catalog.ts'
import { allOf, lotKey, readRooms, roomAndLot } from './quantities.ts'
import type { Quantities } from './quantities.ts'
import type { Room, Snapshot, SnapshotLine } from './snapshot.ts'
import type { StoreApi } from './store-api.ts'

export interface SnapshotOrder {
  storeName: string | undefined
  storeLicense: string | undefined
  timeZone: string
  /** Ids or names; none = all rooms. */
  rooms: readonly string[]
  isBlind: boolean
  progress(line: string): void
  now(): number
}

/**
 * Reads what a store should have, live, and all quantities again: what differs has moved meanwhile,
 * and is said. Only reads.
 */
export async function takeSnapshot(api: StoreApi, order: SnapshotOrder): Promise<Snapshot> {
  const { storeName, storeLicense, timeZone } = order
  const startedAt = toIso(order.now())
  const requestsBefore = api.requests
  const performReconciliation = await mayReconcile(() =>
    api.read('listReconciliations', { parameters: { limit: 1 } }),
  )
  const { moved, ...held } = await readHeld(api, order)
  const lines = linesOf(held)
  const id = auditId(startedAt)
  const onSheets = new Set(lines.map(({ batchId }) => batchId))
  return {
    audit: `AUD-${id}`,
    sheet: `CS-${id}`,
    store: api.store,
    storeName,
    storeLicense,
    timeZone,
    startedAt,
    endedAt: toIso(order.now()),
    requests: api.requests - requestsBefore,
    moved,
    permission: { performReconciliation },
    rooms: [...held.rooms],
    isPartial: order.rooms.length > 0,
    isBlind: order.isBlind,
    lines,
    otherLots: [...held.catalog.batches.keys()]
      .filter(batchId => !onSheets.has(batchId))
      .map(batchId => lotOf(held.catalog, batchId)),
  }
}

/** Two readings of the quantities or more, and after the first everything that takes longer. */
async function readHeld(
  api: StoreApi,
  { rooms: wanted, progress }: SnapshotOrder,
): Promise<Held & Pick<Snapshot, 'moved'>> {
  progress(`${api.store}: reading rooms, lots and products`)
  const catalog = await readCatalog(api)
  const rooms = chooseRooms(catalog.rooms, wanted)
  const readQuantities = async (): Promise<Quantities> => {
    const ids = rooms.map(({ id }) => id)
    const quantities = await readRooms(api, ids, async () => productsOf(catalog))
    const batchIds = [...quantities.keys()].map(key => roomAndLot(key).batchId)
    await completeCatalog(api, catalog, batchIds)
    return quantities
  }
  progress(
    `${api.store}: reading quantities of ${rooms.length === 1 ? '1 room' : `${rooms.length} rooms`}`,
  )
  const first = await readQuantities()
  progress(`${api.store}: reading what open orders hold`)
  const committed = await readCommitted(api, catalog, first)
  progress(`${api.store}: reading the quantities once more`)
  const quantities = await readSettled(first, readQuantities)
  return { catalog, rooms, quantities, committed, moved: movedBetween(first, quantities) }
}

/** A store that sells all the time has an audit all the same: what moved is said. */
const MOST_READINGS = 5

/**
 * Rooms are read one after the other: a lot that is carried from one to another meanwhile may be
 * seen in neither, or in both. So they are read until each lot is as much in all as right before.
 */
async function readSettled(
  first: Quantities,
  readAgain: () => Promise<Quantities>,
): Promise<Quantities> {
  let before = lotTotals(first)
  for (let reading = 2; ; reading++) {
    const quantities = await readAgain()
    const after = lotTotals(quantities)
    if (reading === MOST_READINGS || isSettled(before, after)) return quantities
    before = after
  }
}

function lotTotals(quantities: Quantities): Quantities {
  const totals: Quantities = new Map()
  for (const [key, amount] of quantities) {
    const { batchId } = roomAndLot(key)
    totals.set(batchId, (totals.get(batchId) ?? 0n) + amount)
  }
  return totals
}

const isSettled = (before: Quantities, after: Quantities): boolean =>
  [...before.keys(), ...after.keys()].every(
    lot => (before.get(lot) ?? 0n) === (after.get(lot) ?? 0n),
  )

/**
 * Whether a key has the one permission that the documentation names (Authentication, rule 7), by
 * what becomes of reading the history: nobody should count for hours before that is found out.
 */
export async function mayReconcile(readHistory: () => Promise<unknown>): Promise<boolean> {
  try {
    await readHistory()
    return true
  } catch (error) {
    if (error instanceof PartnerError && error.code === 'PARTNER_PERMISSION') return false
    throw error
  }
}

/** Readable, and like no other: the minute it began, and chance. */
function auditId(startedAt: string): string {
  const day = startedAt.slice(0, 10).replaceAll('-', '')
  const minute = startedAt.slice(11, 16).replace(':', '')
  return `${day}-${minute}-${randomBytes(3).toString('hex')}`
}

function chooseRooms(all: readonly Room[], wanted: readonly string[]): Room[] {
  if (wanted.length === 0) return [...all]
  const isMeant = ({ id, name }: Room, typed: string): boolean =>
    id === typed || nameKey(name) === nameKey(typed)
  for (const typed of wanted)
    if (!all.some(room => isMeant(room, typed))) {
      const names = all.map(({ name }) => name)
      throw new UsageError(
        `there is no room ${JSON.stringify(typed)}`,
        `${suggest(typed, names)}Rooms are: ${names.join(', ')}.`,
      )
    }
  return all.filter(room => wanted.some(typed => isMeant(room, typed)))
}

const productsOf = ({ batches }: Catalog): string[] => [
  ...new Set([...batches.values()].flatMap(batch => textOf(batch['productId']) ?? [])),
]

function movedBetween(first: Quantities, second: Quantities): Snapshot['moved'] {
  return [...new Set([...first.keys(), ...second.keys()])].flatMap(key => {
    const { inventoryId, batchId } = roomAndLot(key)
    const [from, to] = [first.get(key) ?? 0n, second.get(key) ?? 0n]
    if (from === to) return []
    const texts = { from: amountText(from, 0), to: amountText(to, 0) }
    return [{ inventory_id: inventoryId, batch_id: batchId, ...texts }]
  })
}

/**
 * What open orders hold of each product in each room; undefined where the API does not have that.
 */
async function readCommitted(
  api: StoreApi,
  catalog: Catalog,
  quantities: Quantities,
): Promise<Quantities | undefined> {
  const products = new Set(
    [...quantities.keys()].flatMap(
      key => textOf(catalog.batches.get(roomAndLot(key).batchId)?.['productId']) ?? [],
    ),
  )
  try {
    const lists = await Promise.all(
      [...products].map(async productId =>
        allOf(await api.read('listOrderQuantities', { parameters: { productId } }), productId),
      ),
    )
    const committed: Quantities = new Map()
    for (const row of lists.flat() as Fields[]) {
      if (row['active'] === false) continue
      const key = lotKey(textOf(row['inventoryId']) ?? '', textOf(row['productId']) ?? '')
      committed.set(key, (committed.get(key) ?? 0n) + amountOf(row['quantity']))
    }
    return committed
  } catch (error) {
    if (error instanceof TillageError && error.recovery === 'park') return undefined
    throw error
  }
}

interface Held {
  catalog: Catalog
  rooms: readonly Room[]
  quantities: Quantities
  committed: Quantities | undefined
}

/** As one walks: room by room as the API lists them, then by category, product and lot. */
function linesOf({ catalog, rooms, quantities, committed }: Held): SnapshotLine[] {
  const place = new Map(rooms.map(({ id }, at) => [id, at]))
  const lines = [...quantities]
    .filter(([, amount]) => amount !== 0n)
    .map(([key, amount]): SnapshotLine => {
      const { inventoryId, batchId } = roomAndLot(key)
      const lot = lotOf(catalog, batchId)
      const held = committed?.get(lotKey(inventoryId, lot.productId))
      return {
        lineId: '',
        inventoryId,
        room: rooms[place.get(inventoryId)!]!.name,
        ...lot,
        expected: amountText(amount, 0),
        committed: committed === undefined ? null : amountText(held ?? 0n, 0),
      }
    })
    .toSorted(
      (one, other) =>
        place.get(one.inventoryId)! - place.get(other.inventoryId)! ||
        compare(one.category, other.category) ||
        compare(one.product, other.product) ||
        compare(one.batchSku, other.batchSku) ||
        compare(one.batchId, other.batchId),
    )
  return lines.map((line, at) => ({ ...line, lineId: String(at + 1) }))
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
