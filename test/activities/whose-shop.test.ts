import { asyncLocalStorage } from '@temporalio/activity'
import type { Context } from '@temporalio/activity'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDependencies } from '../../activities/dependencies.ts'
import type { Dependencies } from '../../activities/dependencies.ts'
import { identifyStore } from '../../activities/identify-store.ts'
import { syncWindow } from '../../activities/sync-window.ts'
import type { WindowResult } from '../../activities/sync-window.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { newPath } from '../connectors/sqlite/window-database.ts'
import { serve } from '../reading/list-server.ts'

const NEVER = new AbortController().signal
const WINDOW = { start: '2026-03-10T00:00:00.000Z', end: '2026-03-12T00:00:00.000Z' }

let sandbox: Sandbox
let path: string
const open: Dependencies[] = []

beforeAll(async () => {
  sandbox = await startSandbox({ stores: 2, days: 8, until: '2026-03-15', transactionsPerDay: 20 })
  path = newPath()
})
afterAll(async () => {
  for (const dependencies of open) await dependencies.close()
  await sandbox.close()
})

/** One process over the database, with these keys for its stores. */
async function processWith(keys: Record<string, string>, baseUrl = sandbox.baseUrl) {
  const destination = await openDestination(path, streams)
  const settings = Object.entries(keys).map(([id, developerKey]) => ({
    id,
    baseUrl,
    partnerKey: sandbox.partnerKey,
    developerKey,
    timeZone: undefined,
    limits: { concurrency: 4, requestsPerSecond: Infinity },
  }))
  const dependencies = createDependencies(destination, streams, settings, () =>
    Promise.reject(new Error('no books here')),
  )
  open.push(dependencies)
  return dependencies
}

const context = {
  cancellationSignal: NEVER,
  info: { workflowExecution: { workflowId: 'w', runId: 'r' } },
} as unknown as Context

const read = (dependencies: Dependencies, store: string): Promise<WindowResult> =>
  asyncLocalStorage.run(context, () =>
    syncWindow(
      dependencies,
      { store, stream: 'transactions', timeZone: 'America/Los_Angeles', window: WINDOW },
      NEVER,
    ),
  )

const rowsOf = (store: string): unknown => {
  const database = new Database(path, { readonly: true })
  try {
    return database
      .prepare('SELECT count(*) FROM transactions WHERE store_id = ?')
      .pluck()
      .get(store)
  } finally {
    database.close()
  }
}

test('what one process has identified is not read by another with the keys of another store', async () => {
  const [one, other] = sandbox.stores.map(({ developerKey }) => developerKey)
  const up = await processWith({ downtown: one!, harbor: other! })
  for (const store of ['downtown', 'harbor']) await identifyStore(up, { store }, NEVER)
  const shell = await processWith({ downtown: other!, harbor: one! })
  await expect(read(shell, 'harbor')).rejects.toMatchObject({ code: 'STORE_UNKNOWN' })
  expect(rowsOf('harbor')).toBe(0)
  // The same with the right keys reads them.
  expect(await read(up, 'harbor')).toMatchObject({ status: 'proven' })
  expect(rowsOf('harbor')).toBeGreaterThan(0)
})

test('a store that was never read is not filled with a shop that is here under another id', async () => {
  const [one] = sandbox.stores.map(({ developerKey }) => developerKey)
  const shell = await processWith({ uptown: one! })
  await expect(read(shell, 'uptown')).rejects.toMatchObject({ code: 'STORE_TWICE' })
  expect(rowsOf('uptown')).toBe(0)
})

test.each(['companyId', 'shopId'])(
  'a page with a record of another %s is not loaded, and its window is not proven',
  async field => {
    const [one] = sandbox.stores
    const direct = createPartnerClient({ ...sandbox, developerKey: one!.developerKey })
    let isForeign = true
    // The API as it is, but for one record in a list.
    const baseUrl = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://here')
      void direct.get(pathname, Object.fromEntries(searchParams)).then(body => {
        const answer = JSON.parse(body.toString('utf8')) as { values?: Record<string, unknown>[] }
        const record = answer.values?.[1]
        if (isForeign && record !== undefined) record[field] = 'somebody-else'
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(answer))
      })
    })
    const dependencies = await processWith({ downtown: one!.developerKey }, baseUrl)
    const before = rowsOf('downtown')
    const failed = await read(dependencies, 'downtown').catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'ROWS_OF_ANOTHER_SHOP', recovery: 'park' })
    expect(rowsOf('downtown')).toBe(before)
    isForeign = false
    expect(await read(dependencies, 'downtown')).toMatchObject({ status: 'proven' })
    await direct.close()
  },
)
