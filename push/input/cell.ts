import { isDay } from '../../calendar/days.ts'
import { parseExact } from '../../text/exact-json.ts'
import type { Json } from '../../text/exact-json.ts'
import { CLEAR_FIELD } from '../plan/columns.ts'
import type { Column } from '../plan/columns.ts'
import type { Problem } from './problem.ts'

/** What a cell asks for. An empty cell asks for nothing and is not kept. */
export type Cell =
  | { kind: 'clear' }
  | { kind: 'text'; text: string }
  /** Plain digits as they were written. */
  | { kind: 'decimal'; text: string }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'date'; day: string }
  | { kind: 'list'; items: readonly string[] }
  | { kind: 'json'; value: Json; text: string }

export type Refusal = Pick<Problem, 'code' | 'message'>

const NOT_CLEARABLE: ReadonlySet<string> = new Set(['name', 'external_id', 'target_id'])

/** In front of the point: what is longer is a barcode in the wrong cell. */
const MOST_WHOLE_DIGITS = 12
/** Of all digits, those behind the point included. */
const MOST_DIGITS = 30

/** Reads a cell; undefined where it is empty. Values are never quoted: they may hold anything. */
export function readCell(raw: string, column: Column): Cell | undefined | { refused: Refusal } {
  const text = raw.trim()
  if (text === '') return undefined
  if (text === CLEAR_FIELD) return readClear(column)
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/.test(text))
    return refuse('CONTROL', 'holds invisible control characters')
  return READERS[column.kind](text, column)
}

function readClear({ name, kind }: Column): Cell | { refused: Refusal } {
  if (NOT_CLEARABLE.has(name)) return refuse('NOT_CLEARABLE', `${name} cannot be cleared`)
  return kind === 'about' || kind === 'note'
    ? refuse('NOT_CLEARABLE', `${name} has nothing to clear; leave the cell empty`)
    : { kind: 'clear' }
}

const refuse = (code: Problem['code'], message: string): { refused: Refusal } => ({
  refused: { code, message },
})

type Reader = (text: string, column: Column) => Cell | { refused: Refusal }

const readText: Reader = (text, { choices, name }) =>
  choices === undefined || choices.includes(text)
    ? { kind: 'text', text }
    : refuse('CHOICE', `${name} must be ${choices.join(', ')}`)

const readList: Reader = text => ({
  kind: 'list',
  items: [
    ...new Set(
      text
        .split(';')
        .map(item => item.trim())
        .filter(item => item !== ''),
    ),
  ],
})

const READERS: Readonly<Record<Column['kind'], Reader>> = {
  text: readText,
  about: readText,
  reference: readText,
  note: readText,
  list: readList,
  references: readList,
  images: readList,
  decimal(text) {
    if (text.startsWith('-')) return refuse('DECIMAL', 'must not be negative')
    if (!/^\d+(\.\d+)?$/.test(text) || text.length > MOST_DIGITS)
      return refuse(
        'DECIMAL',
        'is not a plain decimal: digits and a point, like 12.50, without currency or separators',
      )
    const whole = text.split('.')[0]!.length
    return whole > MOST_WHOLE_DIGITS
      ? refuse('DECIMAL', `has ${whole} digits before the point; is it a barcode?`)
      : { kind: 'decimal', text }
  },
  boolean: text =>
    /^(true|false)$/i.test(text)
      ? { kind: 'boolean', value: text.toLowerCase() === 'true' }
      : refuse('BOOLEAN', 'must be true or false'),
  date: text =>
    isDay(text)
      ? { kind: 'date', day: text }
      : refuse('DATE', 'is not a day of the calendar; write it as yyyy-MM-dd'),
  json(text) {
    try {
      const value = parseExact(text)
      if (Array.isArray(value)) return { kind: 'json', value, text: JSON.stringify(value) }
    } catch {
      // Said below.
    }
    return refuse('JSON', 'must be a list in JSON, like [{"price": 30.00, "quantity": 2}]')
  },
}
