/** Texts with a NUL, out of the records that were kept of them. */
import { rowTable } from '../stream-sql.ts'
import type { Columns, Stream } from '../stream.ts'
import type { Cell, CopySource } from './ends.ts'
import type { CopiedTable } from './plan-tables.ts'

/** Stands where a NUL was, and where a letter was lost before it came to us. */
const REPLACED = '\uFFFD'
/** Not every database holds a NUL: what it has in its place. */
export const withoutNul = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', REPLACED) : text

/** As JSON spells a NUL. */
const ESCAPED = String.raw`\u0000`

/** Puts each NUL of a row back that a database could not hold. */
export type RestoreNul = (row: Cell[]) => Promise<void>

/** Undefined: there is nothing to put back. */
export function nulRestorer(
  source: Pick<CopySource, 'lacksNul' | 'rawOf'>,
  table: CopiedTable,
  streams: readonly Stream[],
): RestoreNul | undefined {
  const place = source.lacksNul ? placeOf(table, streams) : undefined
  if (place === undefined) return undefined
  const at = (column: string): number => table.columns.indexOf(column)
  const texts = table.columns.flatMap((name, index) =>
    place.columns[name]?.kind === 'text' ? [{ index, path: place.columns[name].path }] : [],
  )
  const recordOf = async (row: readonly Cell[]): Promise<unknown> => {
    const raw =
      place.list === undefined ? row[at('raw')] : await source.rawOf(place.rows, row[at('rid')]!)
    if (raw?.includes(ESCAPED) !== true) return undefined
    const record: unknown = JSON.parse(raw)
    return place.list === undefined
      ? record
      : (valueAt(record, place.list) as unknown[])[Number(row[at('line_no')]) - 1]
  }
  return async row => {
    const bent = texts.filter(({ index }) => row[index]?.includes(REPLACED) === true)
    if (bent.length === 0) return
    const record = await recordOf(row)
    for (const { index, path } of bent) {
      const value = valueAt(record, path)
      if (typeof value === 'string' && withoutNul(value) === row[index]) row[index] = value
    }
  }
}

interface Place {
  columns: Columns
  /** The table of the records. */
  rows: string
  /** Where in a record the lines are; undefined: the rows are records themselves. */
  list: string | undefined
}

/** Tables that keep records of all streams: the column of their key, which is the record's id. */
const KEYS: Readonly<Record<string, string>> = {
  versions: 'id',
  dead_letters: 'record_key',
  discarded_letters: 'record_key',
}

function placeOf({ name }: CopiedTable, streams: readonly Stream[]): Place | undefined {
  const key = KEYS[name]
  if (key !== undefined)
    return { columns: { [key]: { kind: 'text', path: 'id' } }, rows: name, list: undefined }
  for (const stream of streams) {
    const rows = rowTable(stream.name)
    if (rows === name) return { columns: stream.columns, rows, list: undefined }
    for (const [child, { columns, path }] of Object.entries(stream.children))
      if (rowTable(child) === name) return { columns, rows, list: path }
  }
  return undefined
}

const valueAt = (record: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null
          ? (value as Record<string, unknown>)[name]
          : undefined,
      record,
    )
