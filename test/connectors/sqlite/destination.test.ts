import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { WindowToCommit } from '../../../connectors/destination/windows.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { openConnection } from '../../../connectors/sqlite/connection/open-connection.ts'
import { openDestination } from '../../../connectors/sqlite/destination.ts'
import { migrate } from '../../../connectors/sqlite/schema/migrate.ts'
import { createRandom } from '../../reading/moving-list.ts'
import { pageOf } from './page-of.ts'
import { createStagingStore } from './staging-store.ts'
import { newPath, openDatabase } from './window-database.ts'
import { commitWindow, WINDOWS } from './window/made-up-windows.ts'

const transactions = streams.find(({ name }) => name === 'transactions')!
const window: WindowToCommit = {
  reading: 'r',
  store: 'downtown',
  stream: 'transactions',
  window: { start: '2026-03-01T00:00:00.000Z', end: '2026-03-02T00:00:00.000Z' },
  status: 'proven',
  evidence: {},
  superseded: {},
  fetched: 2,
  findings: [],
  readAt: '2026-03-03T00:00:00.000Z',
}

/** All that people see, and what is remembered of windows; not the numbers that count attempts. */
function contents(path: string): unknown {
  const database = new Database(path, { readonly: true })
  const all = (query: string): unknown[] => database.prepare(query).all()
  const tables = {
    transactions: all('SELECT * FROM transactions ORDER BY id'),
    items: all('SELECT * FROM transaction_items ORDER BY transaction_id, line_no'),
    payments: all('SELECT * FROM transaction_payments ORDER BY transaction_id, line_no'),
    windows: all('SELECT * FROM windows ORDER BY window_start'),
    versions: all('SELECT id, modified, raw FROM versions ORDER BY id, modified'),
    deadLetters: all('SELECT * FROM dead_letters ORDER BY record_key'),
  }
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
  return tables
}

describe('the destination', () => {
  it('stages pages and commits them in its writing thread, and reads on this one', async () => {
    const destination = await openDestination(newPath(), streams)
    try {
      const records = ['{"id":"a","cart":{"total":0.10}}', '{"id":"b"}']
      await destination.windows.stage(pageOf(transactions, records))
      expect(await destination.db.selectFrom('windows').selectAll().execute()).toEqual([])
      expect((await destination.windows.commit(window)).counts).toEqual({
        fetched: 2,
        inserted: 2,
        updated: 0,
        unchanged: 0,
        duplicate: 0,
        deadLettered: 0,
      })
      const { rows } = await sql<{
        id: string
        cart_total: string
      }>`SELECT id, cart_total FROM transactions ORDER BY id`.execute(destination.db)
      expect(rows).toEqual([
        { id: 'a', cart_total: '0.10' },
        { id: 'b', cart_total: null },
      ])
      expect(
        await destination.execute(
          destination.db.updateTable('windows').set({ evidence: '{}' }).compile(),
        ),
      ).toBe(1)
    } finally {
      await destination.close()
    }
  })

  it('leaves all rows in the file itself when it closes, though a reader is still there', async () => {
    const path = newPath()
    await migrate(path, streams)
    const reader = openConnection(path, { readonly: true })
    const destination = await openDestination(path, streams)
    const store = {
      id: 's',
      companyId: '1',
      shopId: '2',
      name: 'S',
      baseUrl: 'https://a.example',
      timeZone: 'UTC',
    }
    await destination.stores.keep({ ...store, checkedAt: '2026-03-01T00:00:00.000Z' })
    const copied = (): unknown => {
      const copy = newPath()
      copyFileSync(path, copy)
      const database = new Database(copy, { readonly: true })
      try {
        return database.prepare('SELECT count(*) FROM stores').pluck().get()
      } finally {
        database.close()
      }
    }
    expect(copied(), 'while it is open, the row is in the log').toBe(0)
    await destination.close()
    expect(copied()).toBe(1)
    reader.close()
  })

  it('forgets what was discarded, and reports a failure with its code while it goes on working', async () => {
    const destination = await openDestination(newPath(), streams)
    try {
      const stage = (): Promise<void> =>
        destination.windows.stage(pageOf(transactions, ['{"id":"a"}', '{"id":"b"}']))
      await stage()
      await destination.windows.discard('r')
      await expect(destination.windows.commit(window)).rejects.toMatchObject({
        code: 'COUNTS_DIFFER',
        recovery: 'fatal',
      })
      await stage()
      expect((await destination.windows.commit(window)).counts.inserted).toBe(2)
    } finally {
      await destination.close()
    }
  })

  it('keeps readings apart that are staged side by side', async () => {
    const { store, all } = await openDatabase(streams)
    for (const [page, reading] of ['r', 'other', 'r'].entries())
      store.stage(pageOf(transactions, [`{"id":"${reading}${page}"}`], reading, page))
    expect(store.commit(window).counts.inserted).toBe(2)
    expect(all('SELECT id FROM transactions ORDER BY id')).toEqual([{ id: 'r0' }, { id: 'r2' }])
    expect(store.commit({ ...window, reading: 'other', fetched: 1 }).counts.inserted).toBe(1)
  })
})

describe('a full disk', () => {
  it('leaves nothing of the window, says so, and the same window goes in once there is space', async () => {
    const path = newPath()
    // Small pages, so that a window needs many.
    const small = openConnection(path)
    small.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM')
    small.close()
    await migrate(path, streams)
    const connection = openConnection(path)
    const store = createStagingStore(connection, streams)
    commitWindow(store, 0)
    connection.pragma('wal_checkpoint(TRUNCATE)')
    const before = contents(path)
    const pages = connection.pragma('page_count', { simple: true }) as number
    for (const more of [0, 1, 2, 4, 8]) {
      connection.pragma(`max_page_count = ${pages + more}`)
      expect(() => commitWindow(store, 1), `${more} pages left`).toThrow(
        expect.objectContaining({ code: 'SQLITE_FULL' }) as Error,
      )
      expect(contents(path)).toEqual(before)
    }
    connection.pragma('max_page_count = 1000000')
    expect(commitWindow(store, 1).counts).toMatchObject({
      fetched: 240,
      deadLettered: 1,
    })
    connection.close()
  })
})

describe('kill -9', () => {
  const child = fileURLToPath(new URL('./writer/commit-child.ts', import.meta.url))

  it('at any moment leaves whole windows, and loading them again gives the same tables', async () => {
    const whole = newPath()
    await migrate(whole, streams)
    const connection = openConnection(whole)
    const store = createStagingStore(connection, streams)
    for (let number = 0; number < WINDOWS; number++) commitWindow(store, number)
    connection.close()
    const expected = contents(whole)

    const { int } = createRandom(4711)
    let halfway = 0
    for (let seed = 0; seed < 4; seed++) {
      const path = newPath()
      await migrate(path, streams)
      const loader = spawn(process.execPath, [child, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(loader, 'exit')
      await once(loader.stdout, 'data')
      // Killed some polls after one of its commits, wherever it is by then.
      const watcher = openConnection(path, { readonly: true })
      const windows = watcher.prepare('SELECT count(*) FROM windows').pluck()
      const target = int(0, WINDOWS - 3)
      let polls = int(0, 200)
      while (loader.exitCode === null && ((windows.get() as number) < target || polls-- > 0))
        await new Promise(resolve => setImmediate(resolve))
      loader.kill('SIGKILL')
      await ended
      const committed = windows.get() as number
      watcher.close()
      if (committed < WINDOWS) halfway++

      const again = openConnection(path)
      expect(
        again.prepare('SELECT count(DISTINCT batch) FROM rows_transactions').pluck().get(),
      ).toBe(committed)
      const stored = again
        .prepare("SELECT coalesce(sum(counts ->> 'fetched'), 0) FROM readings")
        .pluck()
        .get()
      expect(stored).toBe(committed * 240)
      const storeAgain = createStagingStore(again, streams)
      for (let number = 0; number < WINDOWS; number++) commitWindow(storeAgain, number)
      again.close()
      expect(contents(path)).toEqual(expected)
    }
    expect(halfway).toBeGreaterThan(0)
  })
})
