import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { parseString } from 'fast-csv'
import { expect, test } from 'vitest'
import type { ExportResult } from '../../../exports/request.ts'
import { exportHere, freshFolder } from '../order.ts'
import { bookDatabase, orderOfDay, store } from './book-database.ts'
import { T1, T2, T3, TIMES, wireOf } from './worked-example.ts'

const VIEWS = {
  transactions: 'books_transactions',
  transaction_items: 'books_items',
  item_lots: 'books_lots',
  payments: 'books_payments',
  taxes: 'books_taxes',
}
const ODD = [
  { ...T1, id: 'V', status: 'Void' },
  { ...T1, id: 'D', deleted: true },
  wireOf('R', { transType: 'Reconciliation', cart: null }),
  { ...T2, id: 'W', transType: 'Wormhole', memberId: 'M1' },
]

async function csvRows(result: ExportResult, dataset: string): Promise<Record<string, string>[]> {
  const path = result.files.find(file => file.dataset === dataset)!.path
  return new Promise((resolve, reject) => {
    const rows: Record<string, string>[] = []
    parseString<Record<string, string>, Record<string, string>>(
      readFileSync(path, 'utf8').replace('\uFEFF', ''),
      { headers: true },
    )
      .on('error', reject)
      .on('data', row => rows.push(row))
      .on('end', () => resolve(rows))
  })
}

/** As CSV writes a cell of the database: times as ISO texts, flags as words, NULL as nothing. */
function asCsv(name: string, cell: string | number | null): string {
  if (cell === null) return ''
  if (name.endsWith('_at')) return new Date(Number(cell)).toISOString()
  if (/^(is_|cannabis|restocked|derived)/.test(name)) return cell === 1 ? 'true' : 'false'
  return String(cell)
}

/** What a program that knows nothing of ours reads. */
function viewRows(folder: string, view: string): Record<string, string>[] {
  const database = new Database(join(folder, 'tillage.db'), { readonly: true })
  try {
    const rows = database.prepare(`SELECT * FROM ${view}`).all() as Record<
      string,
      string | number | null
    >[]
    return rows.map(row =>
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, asCsv(name, cell)])),
    )
  } finally {
    database.close()
  }
}

async function expectSameRows(folder: string): Promise<void> {
  const result = await exportHere(orderOfDay(folder, { formats: ['csv'] }))
  for (const [dataset, view] of Object.entries(VIEWS)) {
    const rows = await csvRows(result, dataset)
    expect(viewRows(folder, view), view).toEqual(
      rows.map(row =>
        Object.fromEntries(
          Object.entries(row).map(([name, cell]) => [name, cell.replace(/^'(?==)/, '')]),
        ),
      ),
    )
    expect(rows.length, dataset).toBeGreaterThan(0)
  }
}

test('the views of the books hold the rows of the exported files, cell by cell, also after an edit', async () => {
  const folder = freshFolder()
  const database = await bookDatabase(folder)
  store(database, 'transactions', [T1, T2, T3, ...ODD])
  store(database, 'products', [{ id: 'P-FLW', name: '=Flower', byGram: false }])
  store(database, 'batches', [
    { id: 'B-FLW', costPerUnit: 14.12345, modified: 1 },
    { id: 'B-GUM', costPerUnit: 8, modified: 1 },
  ])
  await expectSameRows(folder)
  const before = viewRows(folder, 'books_transactions')
  expect(before.find(({ id }) => id === 'V')).toMatchObject({
    excluded_reason: 'void',
    total_due: '0.00',
  })
  store(database, 'transactions', [{ ...T2, modified: TIMES.modified + 1, status: 'Void' }])
  await expectSameRows(folder)
  expect(viewRows(folder, 'books_transactions')).not.toEqual(before)
  expect(viewRows(folder, 'books_payments').some(row => row['transaction_id'] === 'T2')).toBe(false)
  database.close()
})

test('a dry run shows nothing new to SQL', async () => {
  const folder = freshFolder()
  const database = await bookDatabase(folder)
  store(database, 'transactions', [T1])
  await exportHere(orderOfDay(folder, { formats: ['csv'], dryRun: true }))
  expect(() => viewRows(folder, 'books_transactions')).toThrow('no such table')
  database.close()
})
