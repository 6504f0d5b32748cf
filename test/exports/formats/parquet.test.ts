import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Dataset, DatasetColumn } from '../../../exports/dataset.ts'
import type { FileJob } from '../../../exports/formats/file-job.ts'
import { canReadItself, openParquetWriter } from '../../../exports/formats/parquet.ts'
import type { Snapshot } from '../../../exports/snapshot.ts'
import { freshFolder, readParquet } from '../order.ts'

const COLUMNS: (DatasetColumn & { type: string })[] = [
  { name: 'id', kind: 'text', person: false, type: 'VARCHAR' },
  { name: 'paid_at', kind: 'timestamp', person: false, type: 'TIMESTAMP WITH TIME ZONE' },
  { name: 'total', kind: 'decimal', person: false, type: 'DECIMAL(18,4)' },
]

/** A writer, and jobs for rows that stand in a file already. */
async function place() {
  const folder = freshFolder()
  const writer = await openParquetWriter(folder)
  onTestFinished(() => writer.close())
  const lines = join(folder, 'rows.lines')
  const jobOf = (
    rows: readonly unknown[],
    { bytes = 0, step = () => {} }: { bytes?: number; step?: () => void } = {},
  ): FileJob => {
    writeFileSync(lines, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    return {
      // Neither is asked where the rows are written already.
      snapshot: {} as Snapshot,
      dataset: { name: 'payments' } as Dataset,
      scan: {
        rows: rows.length,
        columns: COLUMNS.map(one => ({ ...one, masked: false, rewritten: false, beyondType: 0 })),
        sums: {},
      },
      path: join(folder, `rows-${bytes}.parquet`),
      isWritten: false,
      lines: { path: lines, bytes },
      step,
      bom: false,
      timeZone: 'UTC',
    }
  }
  return { writer, jobOf }
}

const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex')

/** Longer than what is read at once, and more rows than a row group has. */
const ROWS = Array.from({ length: 25_000 }, (_, number) => [
  number % 7 === 0 ? null : `Piña "${number}"\\ \n\t\u2028 𝄞`,
  1_770_000_000_000 + number,
  `${number}.05`,
  null,
])

test('rows that DuckDB reads itself give the file and the hash of rows handed over', async () => {
  const { writer, jobOf } = await place()
  for (const rows of [ROWS, ROWS.slice(0, 1), []]) {
    const [read, handed] = [jobOf(rows), jobOf(rows, { bytes: Infinity })]
    expect([read, handed].map(canReadItself)).toEqual([true, false])
    expect(await writer.writeAside([read])).toEqual([await writer.write(handed)])
    expect(sha256(read.path)).toBe(sha256(handed.path))
  }
  // The twin: another row gives another hash.
  const hashes = await writer.writeAside([jobOf(ROWS)])
  const others = await writer.writeAside([jobOf(ROWS.with(9, ['other', 0, '1', null]))])
  expect(others).not.toEqual(hashes)
})

test('a line that is too long for DuckDB to read itself is written like any other', async () => {
  const { writer, jobOf } = await place()
  const long = 'x'.repeat(17 * 1024 * 1024)
  const job = jobOf([[long, 0, '1.5', null]], { bytes: long.length })
  expect(canReadItself(job)).toBe(false)
  await writer.write(job)
  expect((await readParquet(job.path))[0]![0]).toHaveLength(long.length)
})

test('a run is stopped in the middle of a file that nobody feeds', async () => {
  const { writer, jobOf } = await place()
  const stop = new Error('stopped')
  const many = Array.from({ length: 12 }, () => ROWS).flat()
  const job = jobOf(many, {
    step: () => {
      throw stop
    },
  })
  await expect(writer.writeAside([job, job])).rejects.toBe(stop)
  // The writer goes on with the next file.
  const next = jobOf(ROWS)
  await writer.writeAside([next])
  expect(await readParquet(next.path)).toHaveLength(ROWS.length)
})
