import { createReadStream } from 'node:fs'
import { toIso } from '../../calendar/days.ts'
import type { StoredCell } from '../../connectors/destination/snapshot.ts'
import { parseRecord } from '../../text/record-fields.ts'
import type { DatasetColumn } from '../dataset.ts'
import { openTextFormat } from './format.ts'
import type { FileRow, Format } from './format.ts'

/**
 * One JSON object a line: decimals as strings, times as ISO 8601 UTC, json columns as they nest.
 */
export const jsonl = {
  name: 'jsonl',
  open: () =>
    openTextFormat(
      () => '',
      ({ columns }) => {
        const labels = columns.map(({ name }, at) => `${at === 0 ? '' : ','}"${name}":`)
        return cells => {
          let members = ''
          for (let at = 0; at < cells.length; at++)
            members += labels[at]! + valueOf(columns[at]!.kind, cells[at]!)
          return `{${members}}\n`
        }
      },
    ),
  async *rows(path, columns): AsyncGenerator<FileRow> {
    for await (const line of linesOf(path)) {
      // An integer beyond 2^53 keeps its digits.
      const row = parseRecord(line) as Record<string, string | number | boolean | null>
      yield Object.fromEntries(
        columns.flatMap(({ name }) =>
          name in row ? [[name, row[name] === null ? null : String(row[name])]] : [],
        ),
      )
    }
  },
} as const satisfies Format

function valueOf(kind: DatasetColumn['kind'], cell: StoredCell): string {
  if (cell === null) return 'null'
  switch (kind) {
    case 'integer':
      return String(cell)
    case 'boolean':
      return cell === 1 ? 'true' : 'false'
    case 'timestamp':
      return `"${toIso(Number(cell))}"`
    case 'json':
      return withoutSpace(String(cell))
    case 'text':
    case 'date':
    case 'decimal':
      return JSON.stringify(cell)
  }
}

/** JSON without what stands between its parts: every part as it was sent. */
const withoutSpace = (json: string): string =>
  json.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, '$1')

/** By line feeds alone: readline would also cut at U+2028, which texts may hold. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
