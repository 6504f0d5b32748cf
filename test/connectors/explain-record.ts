/**
 * What is wrong with a record, out of its parsed JSON: an oracle for the judge of records, which
 * looks at the text of an answer.
 */
import {
  FIRST_TIMESTAMP_MS,
  LAST_TIMESTAMP_MS,
  MAX_DECIMAL_EXPONENT,
  MAX_DECIMAL_LENGTH,
} from '../../connectors/stream.ts'
import type { ChildTable, ColumnKind, Columns, Stream } from '../../connectors/stream.ts'

/** The limits that the tables put on a decimal, beside its spelling. */
function fitsDecimal(text: string): boolean {
  const exponent = Math.abs(Number(/[eE](.*)$/.exec(text)?.[1] ?? 0))
  return text.length <= MAX_DECIMAL_LENGTH && exponent <= MAX_DECIMAL_EXPONENT
}

/** As JSON spells numbers. */
const DECIMAL = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/

/** Also spelled as a text. */
const isWhole = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.trim() !== '' && !/[xob_a]/i.test(value) && isWhole(Number(value))
    : Number.isInteger(value) && Math.abs(value as number) < 2 ** 63

/** Whether a value fits a kind of column. */
const fits: Record<ColumnKind, (value: unknown) => boolean> = {
  text: value => typeof value === 'string' || Number.isFinite(value),
  integer: isWhole,
  // A text counts if it is spelled as JSON spells numbers; so do the tables.
  decimal: value =>
    typeof value === 'string' ? DECIMAL.test(value) && fitsDecimal(value) : Number.isFinite(value),
  timestamp: value =>
    isWhole(value) && Number(value) >= FIRST_TIMESTAMP_MS && Number(value) <= LAST_TIMESTAMP_MS,
  boolean: value =>
    typeof value === 'boolean' || (isWhole(value) && [0, 1].includes(Number(value))),
  json: () => true,
}

/**
 * What is wrong with a record that the tables refused: places and expected kinds, never values
 * (INV-10).
 */
export function explainRecord(
  stream: Stream,
  record: unknown,
  duplicates: readonly string[] = [],
): string[] {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return ['the record is not an object']
  const { id: _, ...others } = stream.columns
  return [
    ...duplicates.map(place => `${nameOf(place)}: the record has this key twice`),
    ...(stream.key === undefined ? explainId(record) : []),
    ...explainColumns(stream.key === undefined ? others : stream.columns, record, ''),
    ...Object.values(stream.children).flatMap(child => explainLines(child, record)),
  ]
}

/** A record without declared key fields needs an `id`: a text that is not empty, or an integer. */
function explainId(record: object): string[] {
  const id = valueAt(record, 'id')
  const isKey = typeof id === 'string' ? id !== '' : Number.isInteger(id)
  return isKey ? [] : ['id: expected a text that is not empty']
}

function explainColumns(columns: Columns, record: object, place: string): string[] {
  return Object.values(columns).flatMap(({ kind, path }) => {
    const value = valueAt(record, path)
    const isFine = value === undefined || value === null || fits[kind](value)
    return isFine ? [] : [`${place}${path}: expected ${kind}, received ${kindOf(value)}`]
  })
}

function explainLines({ path, columns }: ChildTable, record: object): string[] {
  const lines = valueAt(record, path)
  if (lines === undefined || lines === null) return []
  if (!Array.isArray(lines)) return [`${path}: expected list, received ${typeof lines}`]
  return lines.flatMap((line: unknown, index) => {
    const place = `${path}[${index}]`
    if (typeof line === 'string') return [`${place}: expected object, received string`]
    if (typeof line !== 'object' || line === null) return []
    return explainColumns(columns, line, `${place}.`)
  })
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'number') return typeof value
  return Number.isFinite(value) ? 'number' : 'a number out of all bounds'
}

/** A key that no programmer would name a field is data, and is not shown (INV-10). */
function nameOf(place: string): string {
  const path = place.replace(/^\$\./, '')
  return /^[a-z_][\w.[\]]{0,99}$/i.test(path) ? path : 'a field'
}

/**
 * A record out of its JSON, to be explained. A number that is longer or larger than a decimal may
 * be is Infinity here: `JSON.parse` alone would make 0 of `1e-2000`.
 */
export const parseRecord = (raw: string): unknown =>
  JSON.parse(raw, (_, value: unknown, context?: { source?: string }) => {
    const token = context?.source
    if (typeof value !== 'number' || token === undefined) return value
    return fitsDecimal(token) ? value : Number.POSITIVE_INFINITY
  })

/** The value at a path of field names, undefined where a part of it is missing. */
const valueAt = (record: object, path: string): unknown =>
  path.split('.').reduce<unknown>(valueOf, record)

const valueOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[field]
    : undefined
