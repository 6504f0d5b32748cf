import { closeSync, openSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { quoteName } from '../connectors/quote.ts'
import { isoUtc, jsonOf } from './cells.ts'
import type { ExportColumn } from './cells.ts'
import type { FileJob } from './file-job.ts'
import { writeWhole } from './write-whole.ts'

const BATCH = 1024

/**
 * One JSON object a line: decimals as strings, times as ISO 8601 UTC, json columns as they nest.
 */
export async function writeJsonl({ snapshot, dataset, scan, path, step }: FileJob): Promise<void> {
  const parts = partsOf(scan.columns)
  const file = openSync(path, 'w')
  try {
    let batch = ''
    let rows = 0
    for (const row of snapshot.rows(
      dataset,
      parts.map(part => part.expression),
      true,
    )) {
      let line = '{'
      for (let index = 0; index < parts.length; index++) {
        const cell = row[index]
        line += `${index === 0 ? '' : ','}${parts[index]?.label ?? ''}${memberOf(cell)}`
      }
      batch += `${line}}\n`
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

/** A timestamp, or the members of an object without its braces. */
function memberOf(cell: unknown): string {
  if (typeof cell === 'string') return cell.slice(1, -1)
  return typeof cell === 'number' ? `"${isoUtc(cell)}"` : 'null'
}

/**
 * SQLite writes the JSON of a row, except for its timestamps, which it hands over as numbers
 * between the rest. Order is that of the columns.
 */
function partsOf(columns: readonly ExportColumn[]): { label: string; expression: string }[] {
  const parts: { label: string; expression: string }[] = []
  let pairs: string[] = []
  const close = (): void => {
    if (pairs.length > 0) parts.push({ label: '', expression: `json_object(${pairs.join(', ')})` })
    pairs = []
  }
  for (const column of columns) {
    if (column.kind !== 'timestamp' || column.masked)
      pairs.push(`'${column.name}', ${jsonOf(column)}`)
    else {
      close()
      parts.push({ label: `"${column.name}":`, expression: `r.${quoteName(column.name)}` })
    }
  }
  close()
  return parts
}
