/**
 * Whether a record fits its declaration. This is the one place that decides it: a destination takes
 * every record that fits, and keeps the others as dead letters with the reason that is given here.
 */
import {
  bytesOf,
  cellOf,
  cellTables,
  createKeyReader,
  isWholeNumber,
  spelledIn,
  unpackCells,
} from '../cells.ts'
import type { AnswerText, PackedRows, UnfitRecord } from '../cells.ts'
import {
  FIRST_TIMESTAMP_MS,
  LAST_TIMESTAMP_MS,
  MAX_DECIMAL_EXPONENT,
  MAX_DECIMAL_LENGTH,
} from '../stream.ts'
import type { ColumnKind, Columns, Stream } from '../stream.ts'
import { keysTwice } from './keys-twice.ts'
import type { KeyTwice } from './keys-twice.ts'
import { createAnswerWalker } from './walk-answer.ts'
import type { Walked } from './walk-answer.ts'

/** Judges the records of an answer; those that the walk found to fit are not looked at again. */
export type RecordJudge = (
  text: AnswerText,
  walked: Pick<Walked, 'doubtful' | 'twice'>,
) => UnfitRecord[]

const [QUOTE, LIST, OBJECT, LETTER_T, LETTER_F] = [0x22, 0x5b, 0x7b, 0x74, 0x66]

export function createRecordJudge(stream: Stream): RecordJudge {
  const tables = cellTables(stream)
  const keyOf = createKeyReader(stream)
  const explain = createExplainer(stream)
  return (text, { doubtful, twice }) => {
    const json = bytesOf(text)
    const [records, ...lines] = unpackCells(text.cells, tables)
    const unfit: UnfitRecord[] = []
    const isDoubtful = new Set(doubtful)
    const isTwice = new Set(twice)
    for (let position = 0; position < records!.rows; position++) {
      const row = records!.at + position * records!.width
      const hasKey = keyOf(json, text.cells, row) !== undefined
      if (hasKey && !isDoubtful.has(position)) continue
      const record = { position, row, hasKey, isTwice: isTwice.has(position) }
      const problems = explain({ json, cells: text.cells, lines }, record)
      if (problems.length > 0) unfit.push({ position, reason: problems.join('; ') })
    }
    return unfit
  }
}

interface AnswerCells {
  json: Buffer
  cells: Int32Array
  /** Rows of each list of lines. */
  lines: readonly PackedRows[]
}

interface RecordToJudge {
  position: number
  row: number
  hasKey: boolean
  isTwice: boolean
}

/** Answers what is wrong with a record, in the order of its declaration. */
function createExplainer(stream: Stream): (answer: AnswerCells, record: RecordToJudge) => string[] {
  const columns = Object.entries(stream.columns)
  const countsTwice = createTwiceFilter(stream)
  const lists = Object.values(stream.children).map((child, index) => ({
    ...child,
    at: cellOf(columns.length + index),
    explain: createColumnsExplainer(child.columns),
  }))
  const explainColumns = createColumnsExplainer(stream.columns)
  const noKey =
    stream.key === undefined
      ? 'id: expected a text that is not empty'
      : `${['id', ...stream.key].join(', ')}: expected one that is not empty`
  return ({ json, cells, lines }, { position, row, hasKey, isTwice }) => {
    const [start, end] = [cells[row]!, cells[row + 1]!]
    if (json[start] !== OBJECT) return ['the record is not an object']
    const twice = isTwice ? keysTwice(json.subarray(start, end)).filter(countsTwice) : []
    const problems = [
      ...new Set(twice.map(key => `${nameOf(key)}: the record has this key twice`)),
      ...(hasKey ? [] : [noKey]),
      ...explainColumns(json, cells, row),
    ]
    for (const [index, { path, at, explain }] of lists.entries()) {
      const [from, to] = [cells[row + at]!, cells[row + at + 1]!]
      if (to > 0 && json[from] !== LIST)
        problems.push(`${path}: expected list, received ${kindOf(json, from, to)}`)
      for (const [line, lineRow] of rowsOfRecord(cells, lines[index]!, position).entries()) {
        const place = `${path}[${line}]`
        if (json[cells[lineRow + 1]!] === QUOTE)
          problems.push(`${place}: expected object, received string`)
        else problems.push(...explain(json, cells, lineRow).map(text => `${place}.${text}`))
      }
    }
    return problems
  }
}

/** The rows of a record's lines: they come in the order of their records. */
function rowsOfRecord(
  cells: Int32Array,
  { at, rows, width }: PackedRows,
  position: number,
): number[] {
  let [low, high] = [0, rows]
  while (low < high) {
    const middle = (low + high) >> 1
    if (cells[at + middle * width]! < position) low = middle + 1
    else high = middle
  }
  const found: number[] = []
  for (let row = low; row < rows && cells[at + row * width] === position; row++)
    found.push(at + row * width)
  return found
}

function createColumnsExplainer(
  columns: Columns,
): (json: Buffer, cells: Int32Array, row: number) => string[] {
  const all = Object.values(columns).map(({ kind, path }, index) => ({
    kind,
    path,
    at: cellOf(index),
  }))
  return (json, cells, row) =>
    all.flatMap(({ kind, path, at }) => {
      const [start, end] = [cells[row + at]!, cells[row + at + 1]!]
      if (end === 0 || fits[kind](json, start, end)) return []
      return [`${path}: expected ${kind}, received ${kindOf(json, start, end)}`]
    })
}

/** As JSON spells numbers. */
const DECIMAL = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/

/** Whether a value that is not null fits a kind of column. */
const fits: Record<ColumnKind, (json: Buffer, start: number, end: number) => boolean> = {
  // What is no text is kept as JSON spells it.
  text: () => true,
  json: () => true,
  integer: (json, start, end) =>
    isScalar(json, start) && isWholeNumber(spelledIn(json, start, end)),
  // A text counts if it is spelled as JSON spells numbers, without escapes.
  decimal(json, start, end) {
    const quotes = json[start] === QUOTE ? 1 : 0
    return isDecimal(json.toString('latin1', start + quotes, end - quotes))
  },
  timestamp(json, start, end) {
    if (!fits.integer(json, start, end)) return false
    const ms = Number(spelledIn(json, start, end))
    return ms >= FIRST_TIMESTAMP_MS && ms <= LAST_TIMESTAMP_MS
  },
  boolean(json, start, end) {
    if (json[start] === LETTER_T || json[start] === LETTER_F) return true
    return fits.integer(json, start, end) && [0, 1].includes(Number(spelledIn(json, start, end)))
  },
}

/** A text or a number. */
const isScalar = (json: Buffer, start: number): boolean =>
  ![OBJECT, LIST, LETTER_T, LETTER_F].includes(json[start]!)

/** The limits on a decimal, beside its spelling. */
function isDecimal(spelled: string): boolean {
  const exponent = Math.abs(Number(/[eE](.*)$/.exec(spelled)?.[1] ?? 0))
  return (
    DECIMAL.test(spelled) &&
    spelled.length <= MAX_DECIMAL_LENGTH &&
    exponent <= MAX_DECIMAL_EXPONENT
  )
}

function kindOf(json: Buffer, start: number, end: number): string {
  const byte = json[start]!
  if (byte === QUOTE) return 'string'
  if (byte === LIST) return 'list'
  if (byte === OBJECT) return 'object'
  if (byte === LETTER_T || byte === LETTER_F) return 'boolean'
  return isDecimal(json.toString('latin1', start, end)) ? 'number' : 'a number out of all bounds'
}

/**
 * A key counts where somebody reads its object: one that holds declared fields, or whatever stands
 * inside a column that is kept as JSON.
 */
function createTwiceFilter(stream: Stream): (key: KeyTwice) => boolean {
  const read = new Set<string>([''])
  const kept: string[] = []
  const declare = (columns: Columns, prefix: string): void => {
    for (const { kind, path } of Object.values(columns)) {
      for (const parent of parentsOf(path)) read.add(prefix + parent)
      if (kind === 'json') kept.push(prefix + path)
    }
  }
  declare(stream.columns, '')
  for (const { path, columns } of Object.values(stream.children)) {
    for (const parent of parentsOf(path)) read.add(parent)
    read.add(`${path}[]`)
    declare(columns, `${path}[].`)
  }
  return ({ object }) => {
    const place = object.replaceAll(/\[\d+\]/g, '[]')
    const isWithin = (path: string): boolean =>
      place === path || place.startsWith(`${path}.`) || place.startsWith(`${path}[`)
    return read.has(place) || kept.some(isWithin)
  }
}

/** `cart.discounts.total` lies in `cart` and in `cart.discounts`. */
function parentsOf(path: string): string[] {
  const names = path.split('.').slice(0, -1)
  return names.map((_, depth) => names.slice(0, depth + 1).join('.'))
}

/** A key that no programmer would name a field is data, and is not shown (INV-10). */
function nameOf({ object, key }: KeyTwice): string {
  const path = object === '' ? key : `${object}.${key}`
  return /^[a-z_][\w.[\]]{0,99}$/i.test(path) ? path : 'a field'
}

/** The JSON text of each record of a page, with every digit (INV-6), in the order of its rows. */
export function recordTexts(stream: Stream, { text }: { text: AnswerText }): string[] {
  const bytes = bytesOf(text)
  const { cells } = text
  const [records] = unpackCells(cells, cellTables(stream))
  const { at, rows, width } = records!
  return Array.from({ length: rows }, (_, position) => {
    const row = at + position * width
    return bytes.toString('utf8', cells[row], cells[row + 1])
  })
}

/**
 * The same answer with the first of its records alone: it says as well what kind of answer it is.
 */
export function createSampler(stream: Stream): (text: AnswerText) => Buffer {
  const tables = cellTables(stream)
  return ({ json, cells }) => {
    const [records] = unpackCells(cells, tables)
    const last = records!.at + (records!.rows - 1) * records!.width
    const [firstEnd, lastEnd] = [cells[records!.at + 1]!, cells[last + 1]!]
    return Buffer.concat([json.subarray(0, firstEnd), json.subarray(lastEnd)])
  }
}

/** Records as the pages of an answer hold them: their text with its cells, and which do not fit. */
export interface ExaminedRecords {
  text: AnswerText
  unfit: readonly UnfitRecord[]
}

/** Of JSON texts that were kept before: valid, and without space between their tokens. */
export type RecordExaminer = (records: readonly string[]) => ExaminedRecords

export function createRecordExaminer(stream: Stream): RecordExaminer {
  const walk = createAnswerWalker(stream)
  const judge = createRecordJudge(stream)
  return records => {
    const json = Buffer.from(`[${records.join(',')}]`)
    const walked = walk(json, '$')
    if (walked?.cells === undefined) throw new TypeError('a kept record is no compact JSON')
    const text = { json, cells: walked.cells }
    return { text, unfit: judge(text, walked) }
  }
}
