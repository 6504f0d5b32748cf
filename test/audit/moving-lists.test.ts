import { describe, expect, it } from 'vitest'
import { readCatalog } from '../../audit/catalog.ts'
import { readProducts, readRooms } from '../../audit/quantities.ts'
import { readTransactions } from '../../audit/read-transactions.ts'
import { openStoreApi } from '../../audit/store-api.ts'
import type { StoreApi } from '../../audit/store-api.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { products } from '../../connectors/partner/streams/products.ts'
import { readList } from '../../push/read-list.ts'
import { createWrite } from '../../reconcile/post.ts'
import type { Posting } from '../../reconcile/post.ts'
import { readRegistrations } from '../../webhooks/apply-registrations.ts'
import { governorAlone } from '../helpers/governor.ts'
import { queryOf, serve } from '../reading/list-server.ts'

const SIGNAL = new AbortController().signal
const NOW_MS = Date.parse('2026-03-09T20:00:00Z')
/** At the place that the shift of one row hides from who reads page after page. */
const HIDDEN = 100
const ROWS = 250

type Row = Record<string, unknown>

/** One row of a list at a rank: it serves as a lot, a product, a reconciliation and a sale. */
const rowAt = (rank: number): Row => {
  const name = String(rank).padStart(4, '0')
  return {
    id: `r${name}`,
    batchId: `r${name}`,
    inventoryId: 'R',
    quantity: 1,
    note: `[tlg:token${name}]`,
    modified: NOW_MS + rank,
  }
}

/**
 * A server with one list. Each time that its first page was answered, `moves` times at most, one
 * row of that page goes and another one comes at the end: the total stays, and what comes after the
 * first page is one rank nearer.
 */
async function movingApi(path: RegExp, moves: number): Promise<StoreApi> {
  let rows = Array.from({ length: ROWS }, (_, rank) => rowAt(rank))
  let left = moves
  const baseUrl = await serve((request, response) => {
    const query = queryOf(request)
    const [start, limit] = [query.get('start') ?? query.get('skip'), query.get('limit')].map(Number)
    const isMeant = path.test(request.url!.split('?')[0]!)
    const all = isMeant ? rows : []
    const values = all.slice(start, start! + limit!)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ values, total: all.length }))
    if (isMeant && start === 0 && limit! > 1 && left-- > 0)
      rows = [...rows.filter((_, rank) => rank !== 3), rowAt(ROWS + moves - left)]
  })
  const client = createPartnerClient({ baseUrl, partnerKey: 'p', developerKey: 'd' })
  const governor = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })
  return openStoreApi({ id: 'downtown', client, governor }, SIGNAL)
}

const HIDDEN_ID = String(rowAt(HIDDEN)['id'])
const ids = (rows: readonly Row[]): unknown[] => rows.map(row => row['id'])

interface Caller {
  who: string
  path: RegExp
  /** Ids that it believes to be all. */
  read(api: StoreApi): Promise<readonly unknown[]>
}

const CALLERS: readonly Caller[] = [
  {
    who: 'the lots of an audit',
    path: /\/store\/batches$/,
    read: async api => [...(await readCatalog(api)).batches.keys()],
  },
  {
    who: 'the products of an audit',
    path: /\/partner\/products$/,
    read: async api => [...(await readCatalog(api)).products.keys()],
  },
  {
    who: 'the categories of an audit',
    path: /\/partner\/category$/,
    read: async api => [...(await readCatalog(api)).categories.keys()],
  },
  {
    who: 'the vendors of an audit',
    path: /\/partner\/vendors$/,
    read: async api => [...(await readCatalog(api)).vendors.keys()],
  },
  {
    who: 'the rooms of an audit',
    path: /\/store\/inventory\/inventories$/,
    read: async api => (await readCatalog(api)).rooms.map(({ id }) => id),
  },
  {
    who: 'the registrations of webhooks',
    path: /\/webHooks$/,
    read: async api => (await readRegistrations(api)).map(({ id }) => id),
  },
  {
    who: 'the quantities of a room',
    path: /\/batches\/quantities$/,
    read: async api =>
      [...(await readRooms(api, ['R'], () => Promise.resolve([]))).keys()].map(key =>
        key.replace('R/', ''),
      ),
  },
  {
    who: 'the transactions since a count',
    path: /\/partner\/transactions$/,
    read: async api => {
      const range = { fromMs: NOW_MS, nowMs: NOW_MS, timeZone: 'America/Los_Angeles' }
      return ids((await readTransactions(api, range, SIGNAL)).transactions)
    },
  },
  {
    who: 'the catalog of a push',
    path: /\/partner\/products$/,
    read: async ({ client, governor, endpoint }) =>
      ids((await readList({ client, governor, endpoint }, products, SIGNAL)).records),
  },
]

describe('a list from which one record goes while another comes, so that its total stays', () => {
  it.each(CALLERS)('is read whole: $who', async ({ path, read }) => {
    const found = await read(await movingApi(path, 1))
    expect(found).toContain(HIDDEN_ID)
    expect(found).toHaveLength(ROWS)
  })

  it.each(CALLERS)('is refused where it never holds still: $who', async ({ path, read }) => {
    const refused = read(await movingApi(path, 1000))
    await expect(refused).rejects.toMatchObject({
      code: expect.stringMatching('^(LIST_MOVED|MOVEMENT_UNPROVEN)$') as string,
    })
  })
})

it('the lots of a product are believed where they are as many as the API says', async () => {
  const lotsOf = async (total: number | undefined): Promise<string[]> => {
    const baseUrl = await serve((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ values: [rowAt(1), rowAt(2)], total }))
    })
    const client = createPartnerClient({ baseUrl, partnerKey: 'p', developerKey: 'd' })
    const governor = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })
    const api = openStoreApi({ id: 'downtown', client, governor }, SIGNAL)
    return [...(await readProducts(api, ['P-1'])).keys()]
  }
  expect(await lotsOf(2)).toHaveLength(2)
  expect(await lotsOf(undefined)).toHaveLength(2)
  await expect(lotsOf(3)).rejects.toMatchObject({
    code: 'NOT_PROVEN',
    message: 'the API says that there are 3 quantities of the product P-1, and shows 2',
  })
})

describe('a history that moves while a reconciliation is searched in it', () => {
  const search = (api: StoreApi) =>
    createWrite({
      api,
      operation: { op: '1', token: `token0${HIDDEN}` },
      document: { operations: [{ op_id: '1', inventory_id: 'R' }] },
      store: { operation: () => Promise.resolve({ facts: { sent: {} } }) },
    } as unknown as Posting).search()

  it('shows the reconciliation all the same', async () => {
    const api = await movingApi(/reconciliations$/, 1)
    expect(await search(api)).toMatchObject({
      kind: 'found',
      facts: { reconciliationId: HIDDEN_ID },
    })
  })

  it('says nothing where it never holds still', async () => {
    const api = await movingApi(/reconciliations$/, 1000)
    expect(await search(api)).toMatchObject({ kind: 'unclear' })
  })
})
