import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import {
  keepShownBooks,
  rememberRefresh,
} from '../../../../connectors/sqlite/tables/shown-books.ts'

const BOOK = {
  view: 'books_transactions',
  computed: 'transactions',
  columns: ['store_id', 'business_date', 'transaction_id', 'total'].map(name => ({
    name,
    kind: 'text' as const,
  })),
}
const CLOCK = { timeZone: 'America/Los_Angeles', dayStartsAt: '02:00' }

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-shown-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'tillage.db')
  new Database(path).exec('PRAGMA journal_mode = WAL; CREATE TABLE readings (batch)').close()
  let computed = 0
  /** One transaction on each of these days, with a total that was true as of the reading. */
  const keep = (
    days: readonly string[],
    batch: number,
    total: string,
    { clock = CLOCK, id = (day: string) => `T${day}` } = {},
  ): void => {
    const scratch = join(folder, `computed${computed++}.db`)
    const database = new Database(scratch)
    database.exec(`CREATE TABLE transactions
      (seq INTEGER PRIMARY KEY, id TEXT, store_id TEXT, business_date TEXT, transaction_id TEXT, total TEXT)`)
    const insert = database.prepare("INSERT INTO transactions VALUES (NULL, ?, 'S', ?, ?, ?)")
    for (const day of days) insert.run(id(day), day, id(day), total)
    database.close()
    const filled = {
      books: [BOOK],
      store: 'S',
      days: { from: days[0]!, to: `${days.at(-1)!.slice(0, 8)}31` },
      batch,
      clock,
    }
    keepShownBooks(path, filled, scratch)
  }
  const shown = (): unknown[] => {
    const database = new Database(path, { readonly: true })
    try {
      const rows = 'SELECT business_date, total FROM books_transactions ORDER BY 1'
      return database.prepare(rows).raw().all()
    } finally {
      database.close()
    }
  }
  /** Of the books, in the database. */
  const objects = (): unknown[] => {
    const database = new Database(path, { readonly: true })
    const named = "SELECT name FROM sqlite_schema WHERE name GLOB '*books_*'"
    const names = database.prepare(named).pluck().all()
    database.close()
    return names
  }
  return { path, keep, shown, objects }
}

test('what fails half-way, like a full disk, leaves no table of the books without its view', () => {
  const { path, keep, objects } = place()
  const twice = { name: 'store_id', kind: 'text' as const }
  const broken = { ...BOOK, columns: [twice, twice] }
  expect(() => rememberRefresh(path, { books: [broken], store: 'S', batch: 7 })).toThrow()
  expect(objects()).toEqual([])
  // The twin: what succeeds is there.
  keep(['2026-03-30'], 7, '105.00')
  expect(objects()).toContain('books_refreshed')
})

test('what was computed of an earlier reading does not replace a day that shows a later one', () => {
  const { keep, shown } = place()
  keep(['2026-03-30'], 7, '105.00')
  keep(['2026-03-30'], 6, '100.00')
  expect(shown()).toEqual([['2026-03-30', '105.00']])
  // Nor a day of a range of which one day is newer; the next refresh finds the other.
  keep(['2026-03-29', '2026-03-30'], 6, '100.00')
  expect(shown()).toEqual([['2026-03-30', '105.00']])
  // The twin: as of the same reading or a later one, it does.
  keep(['2026-03-30'], 7, '106.00')
  expect(shown()).toEqual([['2026-03-30', '106.00']])
  keep(['2026-03-29', '2026-03-30'], 8, '107.00')
  expect(shown()).toEqual([
    ['2026-03-29', '107.00'],
    ['2026-03-30', '107.00'],
  ])
})

test('a day that another clock has cut is replaced whatever it shows', () => {
  const { keep, shown } = place()
  keep(['2026-03-30'], 7, '105.00')
  keep(['2026-03-30'], 6, '100.00', { clock: { ...CLOCK, dayStartsAt: '00:00' } })
  expect(shown()).toEqual([['2026-03-30', '100.00']])
})

test('a transaction that a later reading shows on another day stays there', () => {
  const { keep, shown } = place()
  const one = { id: () => 'T1' }
  keep(['2026-03-30'], 6, '100.00', one)
  keep(['2026-05-30'], 7, '105.00', one)
  expect(shown()).toEqual([['2026-05-30', '105.00']])
  // An export of the day that it left, from before it did, ends only now.
  keep(['2026-03-30'], 6, '100.00', one)
  expect(shown()).toEqual([['2026-05-30', '105.00']])
  // The twin: a later reading than that brings it back.
  keep(['2026-03-30'], 8, '110.00', one)
  expect(shown()).toEqual([['2026-03-30', '110.00']])
})
