import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openComputedFile } from '../../../../connectors/sqlite/tables/computed-books.ts'

const SALES = {
  view: 'books_sales',
  computed: 'sales',
  columns: [
    { name: 'id', kind: 'text' as const },
    { name: 'at', kind: 'integer' as const },
  ],
}
const LINES = { ...SALES, view: 'books_lines', computed: 'lines' }

type Row = readonly [id: string | null, at: number | null]

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-computed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'computed.db')
  const fill = (tables: readonly (readonly Row[])[]): void => {
    const file = openComputedFile(path, [SALES, LINES])
    tables.forEach((rows, book) => rows.forEach(row => file.add(book, row)))
    file.finish()
    file.close()
  }
  const read = (): unknown => {
    const database = new Database(path, { readonly: true })
    const rows = (table: string): unknown =>
      database.prepare(`SELECT id, at FROM ${table} ORDER BY seq`).raw().all()
    try {
      const integrity = database.pragma('integrity_check', { simple: true })
      return { integrity, sales: rows('sales'), lines: rows('lines') }
    } finally {
      database.close()
    }
  }
  return { fill, read }
}

test('SQLite finds the rows of each book in their order, and the file whole', () => {
  const { fill, read } = place()
  const sales: Row[] = Array.from({ length: 2_000 }, (_, at) => [
    `T${at} ${(at % 2 === 0 ? 'ñ\0' : 'n').repeat(at * 20)}`,
    at % 3 === 0 ? null : 1_775_000_000_000 + at,
  ])
  fill([sales, [[null, -1]]])
  expect(read()).toEqual({ integrity: 'ok', sales, lines: [[null, -1]] })
  // Begun anew, as by a second attempt.
  fill([[], []])
  expect(read()).toEqual({ integrity: 'ok', sales: [], lines: [] })
})

test('a number that does not fit a column of whole numbers is found', () => {
  const { fill, read } = place()
  fill([[['T1', 1.5]], []])
  expect(read()).toMatchObject({ integrity: expect.stringContaining('sales.at') })
})
