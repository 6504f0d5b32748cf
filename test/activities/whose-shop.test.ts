import { asyncLocalStorage } from '@temporalio/activity'
import type { Context } from '@temporalio/activity'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

/** The API as it is, but for what `change` makes of an answer; closed by `close`. */
async function startChanged(change: (path: string, answer: Answer) => void) {
  const direct = createPartnerClient({
    ...sandbox,
    developerKey: sandbox.stores[0]!.developerKey,
  })
  const baseUrl = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://here')
    void direct.get(pathname, Object.fromEntries(searchParams)).then(body => {
      const answer = JSON.parse(body.toString('utf8')) as Answer
      change(pathname, answer)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer))
    })
  })
  return { baseUrl, close: () => direct.close() }
}

interface Answer {
  values?: Record<string, unknown>[]
  shop?: Record<string, unknown>
}

describe.each(['companyId', 'shopId'])('a page with a record of another %s', field => {
  const makeForeign = ({ values }: Answer): void => {
    if (values?.[1] !== undefined) values[1][field] = 'somebody-else'
  }
  const makeNameless = ({ shop }: Answer): void => {
    delete shop?.['id']
    delete shop?.['companyId']
  }

  test('is not loaded, and its window is not proven', async () => {
    let isForeign = true
    const api = await startChanged((_, answer) => {
      if (isForeign) makeForeign(answer)
    })
    const dependencies = await processWith(
      { downtown: sandbox.stores[0]!.developerKey },
      api.baseUrl,
    )
    const before = rowsOf('downtown')
    const failed = await read(dependencies, 'downtown').catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'ROWS_OF_ANOTHER_SHOP', recovery: 'park' })
    expect(rowsOf('downtown')).toBe(before)
    isForeign = false
    expect(await read(dependencies, 'downtown')).toMatchObject({ status: 'proven' })
    await api.close()
  })

  test('is not loaded either where the API names nobody any more, and the database knows the shop', async () => {
    const api = await startChanged((path, answer) => {
      makeNameless(answer)
      // All rows of a page, so that only the database can tell.
      if (path.endsWith('/transactions'))
        for (const record of answer.values ?? []) record[field] = 'somebody-else'
    })
    const keys = { downtown: sandbox.stores[0]!.developerKey }
    await identifyStore(await processWith(keys), { store: 'downtown' }, NEVER)
    const before = rowsOf('downtown')
    await expect(read(await processWith(keys, api.baseUrl), 'downtown')).rejects.toMatchObject({
      code: 'ROWS_OF_ANOTHER_SHOP',
    })
    expect(rowsOf('downtown')).toBe(before)
    await api.close()
  })

  test('is not loaded either beside others where nobody knows whose the keys are', async () => {
    const api = await startChanged((_, answer) => {
      makeNameless(answer)
      makeForeign(answer)
    })
    const unknown = await processWith({ nobody: sandbox.stores[0]!.developerKey }, api.baseUrl)
    await expect(read(unknown, 'nobody')).rejects.toMatchObject({ code: 'ROWS_OF_ANOTHER_SHOP' })
    expect(rowsOf('nobody')).toBe(0)
    await api.close()
  })
})
