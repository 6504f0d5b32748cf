import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomNumbers } from '../../../activities/choose-sample.ts'
import { DAY_MS, fromIso } from '../../../calendar/days.ts'
import type { Destination } from '../../../connectors/destination/destination.ts'
import type { Snapshot } from '../../../connectors/destination/snapshot.ts'
import type { WindowToCommit } from '../../../connectors/destination/windows.ts'
import { batches } from '../../../connectors/partner/streams/batches.ts'
import { transactions } from '../../../connectors/partner/streams/transactions.ts'
import { openConnections } from '../../../connectors/postgres/connection/connections.ts'
import { sqlOn } from '../../../connectors/postgres/connection/sql-connection.ts'
import * as postgres from '../../../connectors/postgres/destination.ts'
import { openSnapshot as openPostgresSnapshot } from '../../../connectors/postgres/snapshot/snapshot.ts'
import * as sqlite from '../../../connectors/sqlite/destination.ts'
import { openSnapshot as openSqliteSnapshot } from '../../../connectors/sqlite/snapshot/snapshot.ts'
import { datasetsOf } from '../../../exports/datasets.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { pageOf } from '../sqlite/page-of.ts'

const STREAMS = [transactions, batches]
/** Of business days there are books, which are another matter. */
const { bookedAt: _, ...UNBOOKED } = transactions
const MONDAY = fromIso('2026-03-02T00:00:00.000Z')
const at = (days: number): string => new Date(MONDAY + days * DAY_MS).toISOString()

interface Opened {
  destination: Destination
  run: (sql: string) => Promise<unknown>
  snapshot: () => Promise<Omit<Snapshot, 'books'>>
}

const folder = mkdtempSync(join(tmpdir(), 'tillage-destinations-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const SELECTION = { store: 'downtown', startMs: MONDAY, endMs: MONDAY + 7 * DAY_MS }

const KINDS: Readonly<Record<string, () => Promise<Opened>>> = {
  async SQLite() {
    const path = join(folder, 'tillage.db')
    const destination = await sqlite.openDestination(path, STREAMS)
    return {
      destination,
      run: text => destination.execute({ sql: text, parameters: [] }),
      snapshot: async () => openSqliteSnapshot(path, SELECTION),
    }
  },
  async PostgreSQL() {
    const { url } = await postgresForTests()
    const place = { database: url, localFiles: join(folder, 'postgres') }
    const destination = await postgres.openDestination(place, STREAMS)
    const run = async (text: string): Promise<void> => {
      const sql = sqlOn(openConnections(url))
      await sql.run(text)
      await sql.close()
    }
    return { destination, run, snapshot: () => openPostgresSnapshot(url, SELECTION) }
  },
}

const window = (days: number, records: number, changes: Partial<WindowToCommit> = {}) => ({
  reading: randomUUID(),
  store: 'downtown',
  stream: 'transactions',
  window: { start: at(days), end: at(days + 1) },
  status: 'proven' as const,
  evidence: {},
  superseded: {},
  fetched: records,
  findings: [],
  readAt: at(days + 2),
  ...changes,
})

const sale = (id: string, day: number, more: object = {}): string =>
  JSON.stringify({
    id,
    transNo: `no-${id}`,
    modified: MONDAY + day * DAY_MS + 1_000,
    completedTime: MONDAY + day * DAY_MS + 999,
    status: 'Completed',
    active: id !== 'b',
    cart: { total: 12.5, items: [{ id: `i-${id}`, quantity: 1.25 }, { id: `j-${id}` }] },
    ...more,
  })

/** What a snapshot showed on each. */
const rowsOn = new Map<string, string[]>()

/** A text of PostgreSQL cannot hold it. */
const [NUL, REPLACEMENT] = ['A\\u0000B', 'A\ufffdB']

describe.each(Object.entries(KINDS))('what was read, on %s,', (kind, open) => {
  let opened: Opened
  const commit = async (
    days: number,
    records: readonly string[],
    changes: Partial<WindowToCommit> = {},
  ): Promise<unknown> => {
    const { windows } = opened.destination
    const committed = window(days, records.length, changes)
    await windows.stage(pageOf(transactions, records, committed.reading))
    return (await windows.commit(committed)).counts
  }
  beforeAll(async () => {
    opened = await open()
    await commit(0, [sale('a', 0), sale('B', 0), sale('b', 0, { note: 'A\u0000B "x" \\' })])
    await commit(1, [sale('c', 1), sale('\u00e4', 1, { completedTime: 0 })])
    await commit(0, [sale('a', 0, { cart: { total: 9.99, items: [] } })], { gone: ['B'] })
    await commit(3, [sale('d', 3), '{"id":"bad","modified":"x"}'])
  })
  afterAll(() => opened.destination.close())

  it('is known by what it is: expected, newest, counted, drawn', async () => {
    const { rows } = opened.destination
    const day = { startMs: MONDAY, endMs: MONDAY + DAY_MS }
    const expected = await rows.expected('downtown', transactions, day)
    expect(expected.map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
    expect(expected[0]!.earliestMs).toBe(MONDAY + 999)
    expect(await rows.newestLiving('downtown', transactions, ['d'])).toMatch(/^(c|\u00e4)$/)
    expect(await rows.count('downtown', 'transactions')).toBe(6)
    const days = [0, 1, 2, 3].map(at => ({ ...day, startMs: MONDAY + at * DAY_MS }))
    const parts = [...days.map(one => ({ ...one, endMs: one.startMs + DAY_MS })), day]
    expect(await rows.countModified('downtown', transactions, parts)).toEqual([2, 2, 0, 1, 2])
    const ends = [1_000, 1_001].map(ms => ({ startMs: MONDAY, endMs: MONDAY + ms }))
    expect(await rows.countModified('downtown', transactions, ends)).toEqual([0, 2])
    expect(await rows.countModified('uptown', transactions, [day])).toEqual([0])
    expect(await rows.countModified('downtown', transactions, [])).toEqual([])
    expect(await rows.lastReading()).toBe(4)
    expect(await rows.newestModified('downtown', transactions)).toBe(MONDAY + 3 * DAY_MS + 1_000)
    expect(await rows.bookedOutside('downtown', transactions, day)).toEqual(['c', 'd', '\u00e4'])
    const drawn = await rows.draw('downtown', transactions, { count: 9, random: randomNumbers(3) })
    expect(drawn).toHaveLength(5)
    const numbered = await rows.numbered('downtown', transactions, drawn)
    expect(numbered.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'd', '\u00e4'])
    await expect(
      rows.parentValues('downtown', { stream: 'batches', column: 'id' }),
    ).rejects.toMatchObject({ code: 'NOT_PROVEN' })
    const parent = { stream: 'transactions', column: 'id' }
    expect(await rows.parentValues('downtown', parent)).toEqual(['a', 'b', 'c', 'd', '\u00e4'])
  })

  it('is found by its names, also those that are gone', async () => {
    const { rows } = opened.destination
    const ids = async (word: string, within?: boolean): Promise<unknown[]> =>
      (await rows.named(['downtown'], transactions, word, within))
        .map(({ id, isGone }) => `${id}${isGone ? ', gone' : ''}`)
        .toSorted()
    expect(await ids('NO-C')).toEqual(['c'])
    expect(await ids('no-', true)).toHaveLength(6)
    expect(await ids('b')).toEqual(['B, gone', 'b'])
    expect(await ids('nobody')).toEqual([])
  })

  it('keeps the states before, the ledger, letters, and what changed since', async () => {
    const { versions, ledger, deadLetters, bookedDays, totals } = opened.destination
    const states = await versions.of(['downtown'], 'transactions', 'a')
    expect(
      states.map(({ fromBatch, toBatch, seenFromMs }) => [fromBatch, toBatch, seenFromMs]),
    ).toEqual([
      [1, 3, MONDAY + 2 * DAY_MS],
      [3, undefined, MONDAY + 2 * DAY_MS],
    ])
    expect((await ledger.windows('downtown', 'transactions')).map(row => row.startMs)).toEqual(
      [0, 1, 3].map(day => MONDAY + day * DAY_MS),
    )
    expect(await ledger.provenSpan('downtown', 'transactions')).toEqual({ from: at(0), to: at(4) })
    expect(await ledger.lastReadAt('downtown', 'transactions')).toBe(at(5))
    const letters = await deadLetters.of(['downtown'], ['transactions'])
    expect(letters.map(({ key }) => key)).toEqual(['bad'])
    const chosen = { store: 'downtown', stream: 'transactions', keys: ['bad'] }
    expect(await deadLetters.replay({ ...chosen, readAt: at(6) })).toEqual({
      resolved: [],
      refused: ['bad'],
    })
    expect(await deadLetters.discard({ ...chosen, at: at(6), by: 'me', reason: 'r' })).toBe(1)
    const changed = await bookedDays.changedSince('downtown', transactions, 2)
    expect(new Map(changed.map(({ ms, batch }) => [(ms - MONDAY) / DAY_MS, batch]))).toEqual(
      new Map([
        [0, 3],
        [3, 4],
      ]),
    )
    const day = { startMs: MONDAY + DAY_MS, endMs: MONDAY + 2 * DAY_MS }
    expect(await bookedDays.hasChanged('downtown', transactions, day, 2)).toBe(false)
    expect(await bookedDays.hasChanged('downtown', transactions, day, 1)).toBe(true)
    expect(await bookedDays.shown('downtown')).toEqual({ days: [], until: 0 })
    expect((await totals.readings(0)).newest).toBe(5)
    expect(await totals.bytes()).toBeGreaterThan(1_000)
  })

  it('is one state for an export, whatever is written meanwhile', async () => {
    const snapshot = await opened.snapshot()
    try {
      await commit(5, [sale('e', 5)])
      expect(await snapshot.batch()).toBe(5)
      const seen: string[] = []
      for (const table of datasetsOf([UNBOOKED])) {
        for await (const some of snapshot.rows(table, table.columns))
          seen.push(...some.map(row => JSON.stringify(row)))
        for await (const some of snapshot.jsonRows(table)) seen.push(...some)
      }
      expect(seen.length).toBeGreaterThan(20)
      rowsOn.set(
        kind,
        seen.map(row => row.replaceAll(NUL, REPLACEMENT)),
      )
      const booked = []
      for await (const some of snapshot.booked(transactions, { startMs: 0, endMs: 9e15 }))
        booked.push(...some.map(({ id }) => id))
      expect(booked).toEqual(['a', 'b', 'c', 'd', '\u00e4'])
      const ids = ['a', 'c', 'nobody']
      expect(await snapshot.lookUp('transactions', 'cart_total')(ids)).toEqual(
        new Map([
          ['a', '9.99'],
          ['c', '12.5'],
        ]),
      )
      expect(await snapshot.lookUp('transactions', 'no_column')(ids)).toEqual(new Map())
      expect(await snapshot.missingSince('batches')(ids)).toEqual(new Map())
      expect(await snapshot.states('transactions', 'a')).toHaveLength(2)
    } finally {
      await snapshot.close()
    }
  })

  it('is compared with records of the API, and made right again', async () => {
    const { rows } = opened.destination
    const records = [
      sale('a', 0, { cart: { total: 9.99, items: [] } }),
      sale('c', 1),
      sale('d', 3, { status: 'Voided' }),
      sale('e', 6),
      sale('B', 0),
      sale('nobody', 0),
      sale('later', 9),
      '{"id":"bad","modified":"x"}',
    ]
    const compared = async (): Promise<string[]> => {
      const asked = { records, readAtMs: MONDAY + 8 * DAY_MS, fields: 'all' as const }
      const found = await rows.compare('downtown', transactions, asked)
      return found.map(({ id, difference }) => `${id} ${difference}`).toSorted()
    }
    const others = ['B gone', 'bad missing', 'd differs', 'e changed']
    const missing = ['later changed', 'nobody missing']
    expect(await compared()).toEqual([...others, ...missing])
    const ridOf = (id: string): string => `(SELECT rid FROM rows_transactions WHERE id = '${id}')`
    await opened.run(`UPDATE rows_transactions SET cart_total = '1' WHERE id = 'a'`)
    await opened.run(`DELETE FROM rows_transaction_items WHERE rid = ${ridOf('c')}`)
    const wrong = ['a inconsistent', 'c inconsistent']
    expect(await compared()).toEqual([...wrong, ...others, ...missing].toSorted())
    const asked = { records, readAtMs: MONDAY + 8 * DAY_MS, fields: 'all' as const }
    await rows.repair('downtown', transactions, await rows.compare('downtown', transactions, asked))
    expect(await compared()).toEqual([
      'B gone',
      'bad missing',
      'd inconsistent',
      'e changed',
      ...missing,
    ])
  })

  it('is purged when it is old enough, with an entry in the log', async () => {
    const retention = { versionsDays: 1, readingsDays: 1 }
    const order = { retention, store: undefined, at: at(30) }
    const purged = await opened.destination.upkeep.purge(order)
    expect(purged.map(({ table, rows }) => [table, rows > 0])).toEqual([
      ['versions', true],
      ['readings', true],
    ])
    expect((await opened.destination.upkeep.purge(order)).map(({ rows }) => rows)).toEqual([0, 0])
    expect(await opened.destination.rows.lastReading()).toBe(6)
  })

  it('has each digit of whole numbers that no double holds, however they are spelled', async () => {
    const spelled = ['1.0E16', '"1e18"', '90071992547409940e-1', '"+9007199254740993"']
    const payments = spelled.map(line => `{"id":"p","line":${line}}`).join()
    const record = sale('w', 0).replace(/}$/, `,"payments":[${payments}]}`)
    expect(await commit(0, [record], { store: 'harbor' })).toMatchObject({ inserted: 1 })
    const asked = { records: [record], readAtMs: MONDAY + DAY_MS, fields: 'all' } as const
    expect(await opened.destination.rows.compare('harbor', transactions, asked)).toEqual([])
  })

  it('has left its list by an edit where its id answered for a window, and not for a hint', async () => {
    const { rows } = opened.destination
    const store = 'uptown'
    const byId = { store, byId: true } as const
    const records = ['a', 'b', 'c'].map(id => sale(id, 0))
    await commit(0, records, { store })
    await commit(0, [sale('a', 0, { status: 'Cancelled' })], byId)
    const instant = { window: { start: at(2), end: at(2) } }
    await commit(0, [sale('b', 0, { status: 'Cancelled' })], { ...byId, ...instant })
    const ids = ['a', 'b', 'c', 'd']
    expect(await rows.leftByEdit(store, transactions, ids)).toEqual(['a'])
    expect(await rows.leftByEdit(store, transactions, [])).toEqual([])
    await commit(0, [sale('a', 0, { status: 'Hold' })], { store })
    expect(await rows.leftByEdit(store, transactions, ids)).toEqual([])
  })
})

it('a snapshot shows the same cells on both, digit by digit', () => {
  const [one, other] = [rowsOn.get('SQLite')!, rowsOn.get('PostgreSQL')!]
  expect(one.length).toBeGreaterThan(20)
  expect(other).toEqual(one)
})
