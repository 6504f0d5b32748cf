import { describe, expect, it } from 'vitest'
import { openStoreApi } from '../../audit/store-api.ts'
import { takeSnapshot } from '../../audit/take-snapshot.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { governorAlone } from '../helpers/governor.ts'
import { queryOf, serve } from '../reading/list-server.ts'

type Row = Record<string, unknown>

const ROOMS = ['A', 'B'].map(id => ({ id, name: `Room ${id}` }))

/** What each room shows of the lot in each reading; the last one stays. */
type Shown = Readonly<Record<string, readonly number[]>>

/** A store with one lot; a reading asks each room as often as the first one did. */
async function shopThatShows(shown: Shown): Promise<ReturnType<typeof openStoreApi>> {
  const asked = new Map<string, number>()
  let firstReading: ReadonlyMap<string, number> | undefined
  const quantityOf = (room: string): number => {
    const before = asked.get(room) ?? 0
    asked.set(room, before + 1)
    const each = firstReading?.get(room)
    const reading = each === undefined ? 0 : Math.floor(before / each)
    return shown[room]!.at(Math.min(reading, shown[room]!.length - 1))!
  }
  const rowsOf = (path: string, room: string | null): readonly Row[] => {
    if (path.endsWith('/store/batches')) return [{ id: 'L', productId: 'P' }]
    if (path.endsWith('/inventories')) return ROOMS
    if (!path.endsWith('/batches/quantities')) return []
    return [{ id: 'q', batchId: 'L', inventoryId: room, quantity: quantityOf(room!), created: 1 }]
  }
  const baseUrl = await serve((request, response) => {
    const query = queryOf(request)
    const path = request.url!.split('?')[0]!
    // What open orders hold is asked between the first reading and the second.
    if (path.includes('/consumer-order-qty/')) firstReading ??= new Map(asked)
    const rows = rowsOf(path, query.get('inventoryId'))
    const start = Number(query.get('start') ?? query.get('skip') ?? 0)
    const values = rows.slice(start, start + Number(query.get('limit') ?? 100))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ values, total: rows.length }))
  })
  const client = createPartnerClient({ baseUrl, partnerKey: 'p', developerKey: 'd' })
  const governor = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })
  return openStoreApi({ id: 'downtown', client, governor }, new AbortController().signal)
}

async function snapshotOf(shown: Shown) {
  const order = {
    storeName: undefined,
    storeLicense: undefined,
    timeZone: 'UTC',
    rooms: [],
    isBlind: true,
    progress: () => {},
    now: Date.now,
  }
  const { lines, moved } = await takeSnapshot(await shopThatShows(shown), order)
  return { lines: lines.map(({ inventoryId, expected }) => [inventoryId, expected]), moved }
}

describe('a lot that is carried from one room to another while the rooms are read', () => {
  const moved = [
    { inventory_id: 'A', batch_id: 'L', from: '5', to: '0' },
    { inventory_id: 'B', batch_id: 'L', from: '0', to: '5' },
  ]

  it('is on a sheet, although a reading saw it in neither', async () => {
    const shown = { A: [5, 0], B: [0, 0, 5] }
    expect(await snapshotOf(shown)).toEqual({ lines: [['B', '5']], moved })
  })

  it('is on one sheet, although a reading saw it in both', async () => {
    const shown = { A: [5, 5, 0], B: [0, 5] }
    expect(await snapshotOf(shown)).toEqual({ lines: [['B', '5']], moved })
  })
})

it('a lot that is sold all the time has its line, and is said to have moved', async () => {
  const { lines, moved } = await snapshotOf({ A: [9, 8, 7, 6, 5, 4], B: [0] })
  expect(lines).toEqual([['A', '5']])
  expect(moved).toEqual([{ inventory_id: 'A', batch_id: 'L', from: '9', to: '5' }])
})
