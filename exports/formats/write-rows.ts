import { closeSync, openSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { FileJob } from './file-job.ts'
import { writeWhole } from './write-whole.ts'

const BATCH = 1024

/** What a format makes of a dataset. */
export interface RowText {
  /** What stands before the first row. */
  head: string
  /** The SQL of each cell. */
  expressions: readonly string[]
  /** One row with its end, from the values of `expressions`. */
  textOf(row: readonly unknown[]): string
}

/** Writes a text file row by row, 1,024 rows at a time. */
export async function writeRows(
  { snapshot, dataset, path, step }: FileJob,
  { head, expressions, textOf }: RowText,
): Promise<void> {
  const file = openSync(path, 'w')
  try {
    let batch = head
    let rows = 0
    for (const row of snapshot.rows(dataset, expressions, true)) {
      batch += textOf(row)
      if (++rows % BATCH !== 0) continue
      writeWhole(file, Buffer.from(batch))
      batch = ''
      step(rows)
      // Gives the event loop a turn, so that messages are sent: this loop is synchronous otherwise.
      await setImmediate()
    }
    writeWhole(file, Buffer.from(batch))
  } finally {
    closeSync(file)
  }
}
