/**
 * Looks at the shape of every record of a reading, at a third of what parsing them would cost:
 * records that are built alike are told by their bytes, and only the first of each kind is parsed.
 */
import { emptyShape, mergeShapes, observe, timesShape } from '../shape.ts'
import type { Shape } from '../shape.ts'

export interface ShapeWatch {
  /** By signature: the shape of the first record, and how many are built like it. */
  alike: Map<number, { shape: Shape; count: number }>
  /** Of records beyond the kinds that are remembered. */
  others: Shape
}

/** Beyond this, records are parsed one by one: keys that are data would fill the memory. */
const MOST_KINDS = 500

export const startWatch = (): ShapeWatch => ({ alike: new Map(), others: emptyShape() })

/** What was seen so far, as one shape. */
export const watchedShape = ({ alike, others }: ShapeWatch): Shape =>
  mergeShapes(
    [...alike.values()].reduce(
      (sum, { shape, count }) => mergeShapes(sum, timesShape(shape, count)),
      emptyShape(),
    ),
    others,
  )

/**
 * Adds the records of one answer, which is valid JSON. `listPath` is where its list stands: `$` or
 * `$.values`.
 */
export function watchAnswer({ alike, others }: ShapeWatch, json: Buffer, listPath: string): void {
  forEachRecord(
    json,
    listPath === '$' ? undefined : Buffer.from(listPath.slice(2)),
    (signature, from, to) => {
      const known = alike.get(signature)
      if (known !== undefined) {
        known.count++
        return
      }
      const record = JSON.parse(json.toString('utf8', from, to)) as { id?: unknown }
      const isRoom = alike.size < MOST_KINDS
      const shape = isRoom ? emptyShape() : others
      observe(shape, record, typeof record.id === 'string' ? record.id : 'without an id')
      if (isRoom) alike.set(signature, { shape, count: 1 })
    },
  )
}

const [
  QUOTE,
  COMMA,
  MINUS,
  ZERO,
  NINE,
  LIST,
  BACKSLASH,
  END_OF_LIST,
  FALSE,
  NULL,
  TRUE,
  OBJECT,
  END_OF_OBJECT,
] = [0x22, 0x2c, 0x2d, 0x30, 0x39, 0x5b, 0x5c, 0x5d, 0x66, 0x6e, 0x74, 0x7b, 0x7d]
const FNV_START = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193
/** JSON that SQLite takes is not nested deeper. */
const DEEPEST = 1002

/**
 * Calls `found` with the bytes of each object of a list, and a number that is the same for the same
 * fields and kinds in the same order.
 */
export function forEachRecord(
  json: Uint8Array,
  listName: Uint8Array | undefined,
  found: (signature: number, from: number, to: number) => void,
): void {
  const isObject = new Uint8Array(DEEPEST)
  const listDepth = listName === undefined ? 1 : 2
  let inList = listName === undefined
  let depth = 0
  let expectsKey = false
  let from = -1
  let hash = FNV_START
  let tokens = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === QUOTE) {
      const start = at + 1
      for (at = start; json[at] !== QUOTE; at++) {
        if (json[at] === BACKSLASH) at++
        if (expectsKey) hash = Math.imul(hash ^ json[at]!, FNV_PRIME)
      }
      if (expectsKey && depth === 1 && listName !== undefined)
        inList = isEqual(json, start, at, listName)
      expectsKey = false
    } else if (byte === COMMA) {
      expectsKey = isObject[depth] === 1
      continue
    } else if (byte === OBJECT || byte === LIST) {
      if (byte === OBJECT && inList && depth === listDepth && isObject[depth] === 0) {
        ;[from, hash, tokens] = [at, FNV_START, 0]
      }
      isObject[++depth] = byte === OBJECT ? 1 : 0
      expectsKey = byte === OBJECT
    } else if (byte === END_OF_OBJECT || byte === END_OF_LIST) {
      depth--
      expectsKey = false
      if (depth === listDepth && from >= 0) {
        // The count of tokens beside the hash: two kinds of records must agree in both to be taken
        // for one.
        found(tokens * 2 ** 32 + (hash >>> 0), from, at + 1)
        from = -1
      }
    } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      while (isInNumber(json[at + 1])) at++
    } else if (byte !== TRUE && byte !== FALSE && byte !== NULL) continue
    // One token: what it begins with tells its kind; true and false are one kind, and so are all
    // numbers.
    const kind =
      byte === FALSE ? TRUE : byte === MINUS || (byte >= ZERO && byte <= NINE) ? ZERO : byte
    hash = Math.imul(hash ^ kind, FNV_PRIME)
    tokens++
  }
}

/** Digits, signs, a point, an exponent. */
const isInNumber = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= ZERO && byte <= NINE) ||
    byte === 0x2e ||
    byte === 0x2b ||
    byte === MINUS ||
    byte === 0x65 ||
    byte === 0x45)

function isEqual(json: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  return end - start === name.length && name.every((byte, index) => json[start + index] === byte)
}
