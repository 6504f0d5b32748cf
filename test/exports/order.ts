import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { onTestFinished } from 'vitest'
import { DAY_MS } from '../../calendar/days.ts'
import type { ExportRequest } from '../../exports/export-files.ts'
import type { ExportResult } from '../../exports/request.ts'
import { runExport } from '../../exports/run-export.ts'
import { testStreams } from './export-database.ts'
import type { StoredRecord } from './export-database.ts'

/** Where the test day begins: 2026-03-08T10:00:00Z, two in the night in California. */
export const START_MS = Date.UTC(2026, 2, 8, 10)

/** A folder of its own, gone when the test is over. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-export-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** One store, one day, every sale in every format; a test changes what it is about. */
export function orderFor(folder: string, changes: Partial<ExportRequest> = {}): ExportRequest {
  return {
    database: join(folder, 'tillage.db'),
    localFiles: join(folder, 'tillage.db'),
    streams: testStreams,
    store: 'downtown',
    days: { from: '2026-03-08', to: '2026-03-09' },
    range: { startMs: START_MS, endMs: START_MS + DAY_MS },
    datasets: ['sales', 'sale_items'],
    formats: ['parquet', 'csv', 'jsonl'],
    out: join(folder, 'out'),
    proof: { sales: [{ start: '2026-03-08T10:00:00Z', status: 'proven' }] },
    tool: 'tillage 0.0.0',
    ...changes,
  }
}

/** The same as `exportFiles` without its thread, whose start takes longer than a small export. */
export async function exportHere({
  progress,
  signal,
  ...order
}: ExportRequest): Promise<ExportResult> {
  return runExport(order, {
    progress: progress ?? (() => {}),
    stopped: () => signal?.aborted ?? false,
  })
}

/** Rows of the test day, each with two items. */
export function salesOf(count: number, price = '12.50'): StoredRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    row: {
      id: `s${String(index).padStart(7, '0')}`,
      name: `Sale ${index}`,
      modified: START_MS + (index % DAY_MS),
      total: price,
      tax: `${index}.07`,
      deleted: 0,
      counter: index,
      tags: '["a",1.10]',
      buyer: 'Ana',
    },
    children: {
      sale_items: [
        { product: 'Gummies', price: '6.25' },
        { product: 'Flower', price },
      ],
    },
  }))
}

/** What is in the folder and those below it, but for the folder's own lock file. */
export function filesIn(out: string): string[] {
  return readdirSync(out, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() || entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter(name => name !== '.tillage.lock')
    .toSorted()
}

/** Where a file of that name lies. */
export function pathIn(out: string, name: string): string {
  const found = readdirSync(out, { recursive: true }).find(path => basename(String(path)) === name)
  return join(out, String(found ?? name))
}

/** Every cell of a Parquet file as text, by DuckDB. */
export async function readParquet(path: string): Promise<(string | null)[][]> {
  return queryParquet(`SELECT COLUMNS(*)::VARCHAR FROM read_parquet('${path}')`)
}

export async function queryParquet(sql: string): Promise<(string | null)[][]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    return (await connection.runAndReadAll(sql)).getRowsJson() as (string | null)[][]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
