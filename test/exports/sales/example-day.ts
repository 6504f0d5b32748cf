import { readFileSync } from 'node:fs'
import { parseString } from 'fast-csv'
import type { ExportResult } from '../../../exports/request.ts'
import { freshFolder } from '../order.ts'
import { bookDatabase, store } from './book-database.ts'
import { T1, T2, T3 } from './worked-example.ts'

export type Row = Record<string, string>

export function readCsv(result: ExportResult, dataset: string): Promise<Row[]> {
  const path = result.files.find(file => file.dataset === dataset && file.format === 'csv')!.path
  return new Promise((resolve, reject) => {
    const rows: Row[] = []
    parseString<Row, Row>(readFileSync(path, 'utf8').replace('\uFEFF', ''), { headers: true })
      .on('error', reject)
      .on('data', row => rows.push(row))
      .on('end', () => resolve(rows))
  })
}

export const pick = (rows: readonly Row[], ...names: string[]): string[] =>
  rows.map(row => names.map(name => row[name]).join(' '))

export const CATALOG = [
  {
    id: 'P-FLW',
    sku: 'FLW35',
    name: 'Flower 3.5g',
    byGram: false,
    category: { name: 'Flower', cannabis: true },
  },
  {
    id: 'P-GUM',
    sku: 'GUM10',
    name: '=Gummies',
    byGram: false,
    category: { name: 'Edible', cannabis: true },
  },
]

export const LOTS = [
  { id: 'B-FLW', costPerUnit: 14, modified: 1 },
  { id: 'B-GUM', costPerUnit: 8, modified: 1 },
]

export async function exampleDay(): Promise<{
  folder: string
  database: Awaited<ReturnType<typeof bookDatabase>>
}> {
  const folder = freshFolder()
  const database = await bookDatabase(folder)
  store(database, 'transactions', [T1, T2, T3])
  store(database, 'products', CATALOG)
  store(database, 'batches', LOTS)
  return { folder, database }
}
