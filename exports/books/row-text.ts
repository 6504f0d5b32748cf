import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '../../calendar/days.ts'
import type { RowValues } from '../../connectors/database-for-exports.ts'
import type { ByteText } from '../formats/byte-text.ts'
import { CSV_ROW_END, csvText } from '../formats/csv-row.ts'
import type { BookColumn, Cell } from './columns.ts'

const QUOTE = 34
const COMMA = 44
const OPEN = 91
const CLOSE = 93

/** NUL characters and halves of surrogate pairs, as JSON writes them; or what looks like one. */
const NOT_IN_FILES = /\\u(?:0000|d)/

/**
 * - `plain`: each text stands in the JSON as it is
 * - `escaped`: some text does not
 * - `unfit`: nor could a file hold it: it may have a NUL character, or half a surrogate pair
 */
export type RowKind = 'plain' | 'escaped' | 'unfit'

/**
 * Writes a row as `JSON.stringify` does, and says in `values` where its texts stand, as far as they
 * are plain.
 */
export function putJsonRow(out: ByteText, cells: readonly Cell[], values: RowValues): RowKind {
  let kind: RowKind = 'plain'
  values.clear()
  for (let index = 0; index < cells.length; index++) {
    out.putByte(index === 0 ? OPEN : COMMA)
    const cell = cells[index]!
    if (cell === null) {
      out.putPlain('null')
      values.null()
    } else if (typeof cell === 'number') {
      out.putPlain(numberText(cell))
      values.number(cell)
    } else {
      const start = out.length + 1
      const written = putJsonText(out, cell)
      values.text(start, out.length - 1)
      if (kind !== 'unfit' && written !== 'plain') kind = written
    }
  }
  out.putByte(CLOSE)
  return kind
}

/** The values of a row with texts that are escaped in its JSON; they are written behind it. */
export function putValues(out: ByteText, cells: readonly Cell[], values: RowValues): void {
  values.clear()
  for (const cell of cells) {
    const start = out.length
    if (cell === null) values.null()
    else if (typeof cell === 'number') values.number(cell)
    else {
      out.put(cell)
      values.text(start, out.length)
    }
  }
}

/** As JSON has it, without a call of its serializer for whole numbers, as nearly all are. */
const numberText = (value: number): string =>
  Number.isSafeInteger(value) ? String(value) : JSON.stringify(value)

function putJsonText(out: ByteText, text: string): RowKind {
  const start = out.length
  out.putByte(QUOTE)
  if (out.putPlain(text)) {
    out.putByte(QUOTE)
    return 'plain'
  }
  out.length = start
  const json = JSON.stringify(text)
  out.put(json)
  if (NOT_IN_FILES.test(json)) return 'unfit'
  return json.length === text.length + 2 ? 'plain' : 'escaped'
}

/** Writes a row of CSV with its end. */
export function putCsvRow(
  out: ByteText,
  cells: readonly Cell[],
  putters: readonly CsvPutter[],
): void {
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) out.putByte(COMMA)
    const cell = cells[index]!
    if (cell !== null) putters[index]!(out, cell)
  }
  out.put(CSV_ROW_END)
}

/** Writes a cell of CSV. */
export type CsvPutter = (out: ByteText, cell: string | number) => void

/** How cells of a kind are written, where they are neither NULL nor broken. */
export function csvPutter(kind: BookColumn<unknown>['kind']): CsvPutter {
  switch (kind) {
    case 'text':
    case 'json':
      return (out, cell) => putCsvText(out, String(cell))
    case 'boolean':
      return (out, cell) => out.putPlain(cell === 1 ? 'true' : 'false')
    case 'timestamp':
      return timePutter()
    case 'integer':
    case 'decimal':
    case 'date':
      return (out, cell) => out.putPlain(String(cell))
  }
}

/** No formula begins with a letter or a digit. */
function startsPlain(text: string): boolean {
  const code = text.charCodeAt(0)
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122)
}

function putCsvText(out: ByteText, text: string): void {
  if (startsPlain(text) && out.putPlain(text)) return
  out.put(csvText(text))
}

/** Times as `toIso` has them. Each is as a rule on the day of the one before it. */
function timePutter(): CsvPutter {
  let known = Number.NaN
  let date = ''
  return (out, cell) => {
    const ms = Math.trunc(Number(cell))
    const day = Math.floor(ms / DAY_MS)
    if (day !== known) {
      known = day
      date = toIso(day * DAY_MS).slice(0, -MIDNIGHT.length)
    }
    const rest = ms - day * DAY_MS
    out.putPlain(date)
    out.putPlain(SIXTY[Math.trunc(rest / HOUR_MS)]!)
    out.putByte(COLON)
    out.putPlain(SIXTY[Math.trunc(rest / MINUTE_MS) % 60]!)
    out.putByte(COLON)
    out.putPlain(SIXTY[Math.trunc(rest / 1000) % 60]!)
    out.putPlain(THOUSANDTHS[rest % 1000]!)
  }
}

const MIDNIGHT = '00:00:00.000Z'
const COLON = 58
const SIXTY = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const THOUSANDTHS = Array.from(
  { length: 1000 },
  (_, value) => `.${String(value).padStart(3, '0')}Z`,
)
