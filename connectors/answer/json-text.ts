/**
 * JSON as RFC 8259 spells it, byte by byte: where a text, a number or a word ends. SQLite's own
 * parser takes JSON5 as well, and only a second parse would tell the two apart.
 */

/** Thrown where a text is no JSON; whoever walks decides what that means. */
export const NOT_JSON = new Error('not JSON')

/**
 * Whoever compares a byte with one of these takes it into a constant of its own module first: V8
 * puts that into the code, and would look up what is imported for each byte anew.
 */
export const JSON_BYTES = {
  QUOTE: 0x22,
  COMMA: 0x2c,
  MINUS: 0x2d,
  ZERO: 0x30,
  NINE: 0x39,
  COLON: 0x3a,
  LIST: 0x5b,
  BACKSLASH: 0x5c,
  END_OF_LIST: 0x5d,
  OBJECT: 0x7b,
  END_OF_OBJECT: 0x7d,
  SPACE: 0x20,
} as const
const { QUOTE, MINUS, ZERO, NINE, BACKSLASH, SPACE } = JSON_BYTES
const [TAB, LINE_FEED, RETURN, PLUS, POINT, LETTER_E, LETTER_U] = [
  0x09, 0x0a, 0x0d, 0x2b, 0x2e, 0x65, 0x75,
]
const FIRST_PRINTABLE = SPACE
/** What may stand behind a backslash, beside `u`. */
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'))
const WORDS = ['true', 'false', 'null'].map(word => Buffer.from(word))

/** The first byte at or after `at` that is no white space. */
export function afterSpace(json: Uint8Array, at: number): number {
  let next = at
  while (json[next]! <= SPACE && isSpace(json[next]!)) next++
  return next
}

/** The first byte behind a token that has to come next, and behind the white space around it. */
export function afterToken(json: Uint8Array, at: number, token: number): number {
  const found = afterSpace(json, at)
  if (json[found] !== token) throw NOT_JSON
  return afterSpace(json, found + 1)
}

const isSpace = (byte: number): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB

/** The closing quote of a text that begins at `from`, behind its opening one. */
export function endOfText(json: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const byte = json[at]!
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at = afterEscape(json, at + 1)
    else if (byte >= FIRST_PRINTABLE) at++
    else throw NOT_JSON
  }
}

function afterEscape(json: Uint8Array, at: number): number {
  if (ESCAPES.has(json[at]!)) return at + 1
  if (json[at] !== LETTER_U) throw NOT_JSON
  for (let digit = at + 1; digit <= at + 4; digit++) if (!isHexDigit(json[digit]!)) throw NOT_JSON
  return at + 5
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66)
}

/** Where the whole part of a number ends that begins at `from`. */
export function endOfWholePart(json: Uint8Array, from: number): number {
  const first = json[from] === MINUS ? from + 1 : from
  const end = someDigits(json, first)
  if (json[first] === ZERO && end > first + 1) throw NOT_JSON
  return end
}

/** Where a fraction ends, or the same place where there is none. */
export const endOfFraction = (json: Uint8Array, at: number): number =>
  json[at] === POINT ? someDigits(json, at + 1) : at

/** Where an exponent ends, or the same place where there is none. */
export function endOfExponent(json: Uint8Array, at: number): number {
  if ((json[at]! | 0x20) !== LETTER_E) return at
  const hasSign = json[at + 1] === PLUS || json[at + 1] === MINUS
  return someDigits(json, hasSign ? at + 2 : at + 1)
}

function someDigits(json: Uint8Array, from: number): number {
  let at = from
  while (isDigit(json[at]!)) at++
  if (at === from) throw NOT_JSON
  return at
}

/** Where `true`, `false` or `null` ends that begins at `at`. */
export function endOfWord(json: Uint8Array, at: number): number {
  const word = WORDS.find(([first]) => first === json[at])
  if (word === undefined || !startsWith(json, at, word)) throw NOT_JSON
  return at + word.length
}

/** Whether these bytes stand at this place. */
function startsWith(json: Uint8Array, at: number, bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index++)
    if (json[at + index] !== bytes[index]) return false
  return true
}

/**
 * Names that a text is compared with, four letters at a time: names of fields are nearly half of an
 * answer, and letter by letter they took a fifth of the time of a walk.
 */
export interface Spelling {
  readonly letters: Uint8Array
  /** From its start on; the last four end where it ends. None of a name of fewer letters. */
  readonly fours: Int32Array
}

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

export function spell(letters: Uint8Array): Spelling {
  const view = viewOf(letters)
  const last = letters.length - 4
  const places = last < 0 ? [] : [...multiplesOfFour(last), last]
  return { letters, fours: Int32Array.from(places, place => view.getInt32(place, true)) }
}

const multiplesOfFour = (end: number): number[] =>
  Array.from({ length: Math.ceil(end / 4) }, (_, number) => 4 * number)

/** Whether a name stands at this place of a text, which has room for it there. */
export function standsAt(text: DataView, at: number, { letters, fours }: Spelling): boolean {
  const last = fours.length - 1
  if (last < 0) return hasLetters(text, at, letters)
  for (let number = 0; number < last; number++)
    if (text.getInt32(at + 4 * number, true) !== fours[number]) return false
  return text.getInt32(at + letters.length - 4, true) === fours[last]
}

function hasLetters(text: DataView, at: number, letters: Uint8Array): boolean {
  for (let index = 0; index < letters.length; index++)
    if (text.getUint8(at + index) !== letters[index]) return false
  return true
}
