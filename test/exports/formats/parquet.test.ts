import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Dataset, DatasetColumn } from '../../../exports/dataset.ts'
import type { FileJob } from '../../../exports/formats/file-job.ts'
import { openLines } from '../../../exports/formats/lines-file.ts'
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
      lines: { paths: [lines], bytes },
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

test('rows in several files give the file and the hash of one', async () => {
  const { writer, jobOf } = await place()
  const rows = [...ROWS, ...ROWS]
  const one = jobOf(rows, { bytes: Infinity })
  const files = openLines(join(freshFolder(), 'payments'))
  // Not one of them ends where a file does.
  for (let first = 0; first < rows.length; first += 999) {
    const some = rows.slice(first, first + 999)
    files.add(Buffer.from(some.map(row => `${JSON.stringify(row)}\n`).join('')), some.length)
  }
  files.close()
  const several = { ...jobOf(rows), lines: files.written }
  expect(files.written.paths).toHaveLength(Math.ceil(rows.length / 4096))
  const sizes = files.written.paths.map(path => readFileSync(path).length)
  expect(files.written.bytes).toBe(Math.max(...sizes))
  const hash = await writer.write(one)
  const bytes = sha256(one.path)
  expect(await writer.writeAside([several])).toEqual([hash])
  expect(sha256(several.path)).toBe(bytes)
  // Handed over, they are the same rows as well.
  expect(await writer.write(several)).toBe(hash)
  expect(sha256(several.path)).toBe(bytes)
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
