import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TABLE_PAGE_BYTES, TablePages } from '../../../../connectors/sqlite/pages/table-pages.ts'
import type { PageFile } from '../../../../connectors/sqlite/pages/table-pages.ts'
import { RowValues } from '../../../../connectors/staged/row-values.ts'

type Value = string | number | boolean | null

interface Row {
  rowid: number
  values: readonly Value[]
}

const COLUMNS = 40

/** An empty database of one table, whose root is page 2; `bytes` is the whole of it. */
function openPages(): PageFile & { bytes(): Buffer } {
  const made = new Database(':memory:')
  made.pragma(`page_size = ${TABLE_PAGE_BYTES}`)
  const names = Array.from({ length: COLUMNS }, (_, column) => `c${column}`)
  made.exec(`CREATE TABLE t (${names.join(', ')})`)
  const empty = made.serialize()
  made.close()
  const pages: Buffer[] = []
  for (let at = 0; at < empty.length; at += TABLE_PAGE_BYTES)
    pages.push(empty.subarray(at, at + TABLE_PAGE_BYTES))
  return {
    append: page => pages.push(Buffer.from(page)),
    replace: (number, page) => void (pages[number - 1] = Buffer.from(page)),
    bytes() {
      pages[0]!.writeUInt32BE(pages.length, 28)
      return Buffer.concat(pages)
    },
  }
}

/** The texts of a row are slices of one buffer, as those of an answer are. */
function put(values: RowValues, row: readonly Value[]): Buffer {
  values.clear()
  let text = 'in front'
  for (const value of row) {
    if (value === null) values.null()
    else if (typeof value === 'boolean') values.boolean(value)
    else if (typeof value === 'number') values.number(value)
    else {
      const start = Buffer.byteLength(text)
      text += value
      values.text(start, start + Buffer.byteLength(value))
    }
  }
  return Buffer.from(text)
}

/** Writes rows without SQLite, in trees of few children. */
function write(rows: readonly Row[], mostChildren?: number): Buffer {
  const pages = openPages()
  const table = new TablePages(pages, 2, mostChildren)
  const values = new RowValues(COLUMNS)
  for (const row of rows) table.add(row.rowid, values, put(values, row.values))
  table.finish()
  return pages.bytes()
}

function read(bytes: Buffer): { integrity: unknown; rows: unknown[][] } {
  const database = new Database(bytes)
  try {
    const integrity = database.pragma('integrity_check', { simple: true })
    return {
      integrity,
      rows: database.prepare<[], unknown[]>('SELECT rowid, * FROM t').raw().all(),
    }
  } finally {
    database.close()
  }
}

const asSqlite = (value: Value | undefined): string | number | null =>
  typeof value === 'boolean' ? Number(value) : (value ?? null)

const inSqlite = ({ rowid, values }: Row): unknown[] => [
  rowid,
  ...Array.from({ length: COLUMNS }, (_, column) => asSqlite(values[column])),
]

const text = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  fc
    .tuple(fc.constantFrom('a', 'é', '𝄞'), fc.oneof(fc.nat(20_000), fc.nat(200_000)))
    .map(([letter, length]) => letter.repeat(length)),
)
const value: fc.Arbitrary<Value> = fc.oneof(
  text,
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true }).map(number => number + 0),
  fc.boolean(),
  fc.constant<Value>(null),
)
const rows = fc
  .array(
    fc.record({
      rowid: fc.oneof(
        fc.integer({ min: 1, max: 300 }),
        fc.maxSafeInteger().map(rowid => Math.abs(rowid) + 1),
      ),
      values: fc.array(value, { minLength: 1, maxLength: COLUMNS }),
    }),
    { maxLength: 60 },
  )
  .map(all => [...new Map(all.map(row => [row.rowid, row])).values()])
  .map(all => all.sort((a, b) => a.rowid - b.rowid))

it('SQLite reads what was written, letter for letter, and finds the file whole', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 3, max: 5 }), (all, mostChildren) => {
      const bytes = write(all, mostChildren)
      expect(read(bytes)).toEqual({ integrity: 'ok', rows: all.map(inSqlite) })
    }),
    { numRuns: 100 },
  )
})

it('a tree has as many levels as its rows need', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 3, max: 5 }), (count, most) => {
      const all = Array.from({ length: count }, (_, at) => ({
        rowid: 5 * at + 1,
        values: [`${at} ${'x'.repeat(40_000)}`],
      }))
      const bytes = write(all, most)
      expect(bytes.length / TABLE_PAGE_BYTES).toBe(pagesOf(count, most))
      expect(read(bytes)).toEqual({ integrity: 'ok', rows: all.map(inSqlite) })
    }),
    { numRuns: 15 },
  )
})

/** Of a table whose pages hold one row each, with the page of the schema. */
function pagesOf(rowsOfTable: number, mostChildren: number): number {
  let pages = 1
  for (let level = rowsOfTable; level > 1; level = Math.ceil(level / mostChildren)) pages += level
  return pages + 1
}

it('a row goes into one page up to the last byte, and what is longer spills over', () => {
  // A head of five bytes: its own length, and four for the kind of the text.
  const longest = TABLE_PAGE_BYTES - 35 - 4
  const lengths = [longest, longest + 1, 1, longest, TABLE_PAGE_BYTES + 8_000, 5 * longest]
  const all = lengths.map((length, at) => ({ rowid: at + 1, values: ['x'.repeat(length)] }))
  expect(read(write(all))).toEqual({ integrity: 'ok', rows: all.map(inSqlite) })
  const pagesOfOne = lengths.map(length => write([{ rowid: 1, values: ['x'.repeat(length)] }]))
  expect(pagesOfOne.map(bytes => bytes.length / TABLE_PAGE_BYTES - 2)).toEqual([0, 1, 0, 0, 1, 4])
})

it('a row that comes after a later one is refused', () => {
  const row = (rowid: number): Row => ({ rowid, values: ['one'] })
  expect(() => write([row(2), row(2)])).toThrow('comes too late')
})

it('a page with a wrong count of rows is seen', () => {
  const bytes = write([
    { rowid: 1, values: ['one'] },
    { rowid: 2, values: ['two'] },
  ])
  bytes.writeUInt16BE(1, TABLE_PAGE_BYTES + 3)
  expect(read(bytes).integrity).not.toBe('ok')
})
