/** What the cells of an answer stand for: see `cells.ts`. */
import { ROW_HEAD } from '../cells.ts'
import type { AnswerText } from '../cells.ts'
import type { Stream } from '../stream.ts'

const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/** The bytes of an answer, to be read as text. */
export const bytesOf = ({ json }: AnswerText): Buffer =>
  Buffer.from(json.buffer, json.byteOffset, json.byteLength)

/** Where the cell of a column stands in a row: by its number among the columns. */
export const cellOf = (column: number): number => ROW_HEAD + 2 * column

/** A text without its quotes and escapes; any other value as JSON spells it. */
export function spelledIn(json: Buffer, start: number, end: number): string {
  if (json[start] !== QUOTE) return json.toString('utf8', start, end)
  return hasEscapes(json, start, end)
    ? (JSON.parse(json.toString('utf8', start, end)) as string)
    : json.toString('utf8', start + 1, end - 1)
}

export const hasEscapes = (json: Buffer, start: number, end: number): boolean =>
  json.subarray(start, end).includes(BACKSLASH)

/** As SQLite, and most databases, take a text for a number. */
const NUMBER = /^[\t-\r ]*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?[\t-\r ]*$/
const [LEAST_INTEGER, MOST_INTEGER] = [-(2n ** 63n), 2n ** 63n - 1n]
/** Of decimals that are moved to find out whether something is a whole number. */
const MOST_MOVED = 400n

/** A number out of its spelling, as JSON or in a text; undefined where it is none. */
export const numberOf = (spelled: string): number | undefined =>
  NUMBER.test(spelled) ? Number(spelled) : undefined

const DIGITS = /^[-+]?\d+$/

/**
 * Whether a spelling is that of a whole number of 64 bits: also `2.0`, `1e3` and ` 7`. One of which
 * a database that goes through a double would lose a digit is none (INV-6).
 */
export function isWholeNumber(spelled: string): boolean {
  const number = numberOf(spelled)
  if (number === undefined || !Number.isInteger(number)) return false
  if (Number.isSafeInteger(number)) return true
  const exact = wholeNumber(spelled)
  return exact !== undefined && (DIGITS.test(spelled.trim()) || exact === BigInt(number))
}

/** Its digits, also of `1.0E16`; undefined where it has another value, or more than 64 bits. */
export function wholeNumber(spelled: string): bigint | undefined {
  if (numberOf(spelled) === undefined) return undefined
  const [mantissa, exponent = '0'] = spelled.trim().toLowerCase().split('e') as [string, string?]
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?]
  const exact = moved(BigInt(whole + fraction), BigInt(exponent) - BigInt(fraction.length))
  const isHeld = exact !== undefined && exact >= LEAST_INTEGER && exact <= MOST_INTEGER
  return isHeld ? exact : undefined
}

/** With so many zeros more, or fewer; undefined where it has not so many. */
function moved(number: bigint, zeros: bigint): bigint | undefined {
  if (number === 0n) return 0n
  if (zeros > MOST_MOVED || zeros < -MOST_MOVED) return undefined
  if (zeros >= 0n) return number * 10n ** zeros
  const divisor = 10n ** -zeros
  return number % divisor === 0n ? number / divisor : undefined
}

/** The key of the record whose row begins there; undefined where it has none. */
export type KeyReader = (json: Buffer, cells: Int32Array, row: number) => string | undefined

const WHOLE = /^-?\d+$/

/**
 * A record's key is its id: a text that is not empty, or a whole number with each of its digits.
 * Without one, the fields that stand in for an id are the key, unless all of them are empty.
 */
export function createKeyReader(stream: Stream): KeyReader {
  const columns = Object.entries(stream.columns)
  const id = cellOf(columns.findIndex(([name]) => name === 'id'))
  const parts = stream.key?.map(path => {
    const column = columns.findIndex(([, one]) => one.path === path)
    if (column === -1) throw new Error(`stream ${stream.name}: key ${path} is no column`)
    return cellOf(column)
  })
  const partIn = (json: Buffer, start: number, end: number): string =>
    end === 0 ? '' : spelledIn(json, start, end)
  return (json, cells, row) => {
    const start = cells[row + id]!
    const spelled = partIn(json, start, cells[row + id + 1]!)
    if (spelled !== '' && (json[start] === QUOTE || WHOLE.test(spelled))) return spelled
    const others = parts?.map(at => partIn(json, cells[row + at]!, cells[row + at + 1]!))
    return others?.some(part => part !== '') ? others.join('/') : undefined
  }
}

/**
 * Gives the memory of a large buffer back at once. V8 collects garbage, of everything, for each 64
 * MB of buffers that nobody uses any more, and an answer of the API is a third of one. Nobody may
 * use the buffer afterwards: it is empty. One that shares its memory with others stays.
 */
export function freeBytes({ buffer, byteLength }: ArrayBufferView): void {
  const isWhole = byteLength === buffer.byteLength
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
