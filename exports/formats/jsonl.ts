import { quoteName } from '../../connectors/quote.ts'
import { isoUtc, jsonOf } from './cells.ts'
import type { ExportColumn } from './cells.ts'
import type { FileJob } from './file-job.ts'
import { writeRows } from './write-rows.ts'

/**
 * One JSON object a line: decimals as strings, times as ISO 8601 UTC, json columns as they nest.
 */
export function writeJsonl(job: FileJob): Promise<void> {
  const parts = partsOf(job.scan.columns)
  return writeRows(job, {
    head: '',
    expressions: parts.map(part => part.expression),
    textOf: row => {
      let line = '{'
      for (let index = 0; index < parts.length; index++)
        line += `${index === 0 ? '' : ','}${parts[index]!.label}${memberOf(row[index])}`
      return `${line}}\n`
    },
  })
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
