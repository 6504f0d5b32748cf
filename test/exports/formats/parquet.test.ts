import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import type { StoredCell } from '../../../connectors/destination/snapshot.ts'
import type { ExportColumn } from '../../../exports/formats/format.ts'
import { parquet } from '../../../exports/formats/parquet.ts'
import { addDecimal, newDecimalTotals } from '../../../money/decimal-totals.ts'
import { freshFolder, readParquet } from '../order.ts'

async function* inOneBatch<Row>(rows: Row): AsyncGenerator<Row> {
  yield rows
}

const column = (name: string, kind: ExportColumn['kind'], type: string): ExportColumn => ({
  name,
  kind,
  type,
  person: false,
  masked: false,
  totals: kind === 'decimal' ? newDecimalTotals() : undefined,
})

async function write(
  rows: readonly (readonly StoredCell[])[],
  { step = () => {} }: { step?: () => void } = {},
) {
  const folder = freshFolder()
  const path = join(folder, 'rows.parquet')
  const columns = [
    column('id', 'text', 'VARCHAR'),
    column('paid_at', 'timestamp', 'TIMESTAMP WITH TIME ZONE'),
    { ...column('total', 'decimal', 'DECIMAL(18,4)'), places: 4 },
  ]
  const writer = await parquet.open(folder)
  try {
    const about = { path, name: 'rows', bom: false, timeZone: 'UTC', step }
    const sink = writer.begin({ ...about, columns, rows: () => inOneBatch(rows) })
    for (const cells of rows) {
      if (typeof cells[2] === 'string') addDecimal(columns[2]!.totals!, cells[2])
      sink.add(cells)
    }
    const written = await sink.finish()
    await writer.end()
    return { path, ...written }
  } finally {
    await writer.close()
  }
}

const rowsOf = (count: number, width = 1): StoredCell[][] =>
  Array.from({ length: count }, (_, number) => [
    number % 7 === 0 ? null : `Piña "${number}"\\ \n\t\u2028 𝄞`.repeat(width),
    1_770_000_000_000 + number,
    `${number}.05`,
  ])

async function groupsOf(path: string): Promise<number[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const groups = await connection.runAndReadAll(
    `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata('${path}') ORDER BY 1`,
  )
  connection.closeSync()
  return groups.getRows().map(([, rows]) => Number(rows))
}

test('row groups are cut by count alone, however long the rows are', async () => {
  const { path } = await write(rowsOf(50_000))
  expect(await groupsOf(path)).toEqual([20_480, 20_480, 9_040])
  // So they are where a file of them is longer than DuckDB reads at once by itself.
  const wide = await write(rowsOf(20_500, 300))
  expect(await groupsOf(wide.path)).toEqual([20_480, 20])
})

test('the hash of the content is that of the rows', async () => {
  const { content } = await write(rowsOf(9))
  expect((await write(rowsOf(9))).content).toBe(content)
  expect((await write(rowsOf(9).with(3, ['other', 0, '1']))).content).not.toBe(content)
  const none = await write([])
  expect(await readParquet(none.path)).toEqual([])
})

test('decimals that their type does not hold stand exactly beside it, in every row of them', async () => {
  const { path, beyondType } = await write([
    ['a', 0, '1.5'],
    ['b', 0, '0.00001'],
    ['c', 0, '123456789012345.5'],
  ])
  expect(beyondType).toEqual([{ column: 'total', type: 'DECIMAL(18,4)', values: 2 }])
  expect((await readParquet(path)).map(row => row.slice(2).map(String))).toEqual([
    ['1.5000', 'null'],
    ['0.0000', '{"total":"0.00001"}'],
    ['null', '{"total":"123456789012345.5"}'],
  ])
})

test('a line longer than DuckDB takes by itself is written like any other', async () => {
  const long = 'x'.repeat(17 * 1024 * 1024)
  const { path } = await write([[long, 0, '1.5']])
  expect((await readParquet(path))[0]![0]).toHaveLength(long.length)
})

test('a run is stopped while DuckDB writes', async () => {
  const stop = new Error('stopped')
  const step = (): void => {
    throw stop
  }
  await expect(write(rowsOf(300_000), { step })).rejects.toBe(stop)
})
