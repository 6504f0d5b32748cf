/** Keys that an object has twice: of two values, one parser shows the first, another the last. */
import { endOfText, JSON_BYTES } from './json-text.ts'

const { QUOTE, COMMA, LIST, END_OF_LIST, OBJECT, END_OF_OBJECT } = JSON_BYTES

/** A key that came again, and the object that has it: `cart.items[1]`, the record itself is ``. */
export interface KeyTwice {
  object: string
  key: string
}

/** Of a record without space between its tokens, which is valid JSON. */
export function keysTwice(json: Buffer): KeyTwice[] {
  const found: KeyTwice[] = []
  const value = (at: number, place: string): number => {
    if (json[at] === QUOTE) return endOfText(json, at + 1) + 1
    if (json[at] === OBJECT) return fields(at + 1, place)
    if (json[at] === LIST) return items(at + 1, place)
    return endOfPlain(json, at)
  }
  const fields = (from: number, object: string): number => {
    const seen = new Set<string>()
    let at = from
    while (json[at] !== END_OF_OBJECT) {
      if (json[at] === COMMA) at++
      const end = endOfText(json, at + 1) + 1
      const key = JSON.parse(json.toString('utf8', at, end)) as string
      if (seen.has(key)) found.push({ object, key })
      seen.add(key)
      at = value(end + 1, object === '' ? key : `${object}.${key}`)
    }
    return at + 1
  }
  const items = (from: number, list: string): number => {
    let at = from
    for (let index = 0; json[at] !== END_OF_LIST; index++) {
      if (json[at] === COMMA) at++
      at = value(at, `${list}[${index}]`)
    }
    return at + 1
  }
  value(0, '')
  return found
}

const ENDS: ReadonlySet<number | undefined> = new Set([
  COMMA,
  END_OF_LIST,
  END_OF_OBJECT,
  undefined,
])

/** Of a number or a word. */
function endOfPlain(json: Buffer, from: number): number {
  let at = from
  while (!ENDS.has(json[at])) at++
  return at
}
