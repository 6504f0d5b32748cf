/**
 * Takes a person out of a record, as a pure decision over its JSON; digits stay as they were sent.
 */
import { parseExact } from '../../text/exact-json.ts'
import { PERSONAL_FIELDS } from '../personal-fields.ts'

/**
 * What stands where a forgotten person's id stood: the same for everybody, so it leads to nobody.
 */
export const FORGOTTEN = 'forgotten'

/** A text of a JSON text; of a key, the whole number that is its value. */
const TOKEN = /"((?:[^"\\]|\\.)*)"(?:(\s*:)\s*(\d{1,20}(?![\d.eE]))?)?/g

/** Every text or number of a JSON text that may be the id of somebody: a quick look. */
export function possibleIds(json: string): Set<string> {
  const found = new Set<string>()
  for (const [, text, colon, number] of json.matchAll(TOKEN)) {
    if (colon === undefined) found.add(unescaped(text!))
    else if (number !== undefined && mayBeId(number, unescaped(text!))) found.add(number)
  }
  return found
}

/** Every API chooses which characters it escapes: `a/b=` may come as `a\/b\u003d`. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** What stands in a JSON text, in its own characters. */
export const unescaped = (json: string): string =>
  json.includes('\\')
    ? json.replaceAll(ESCAPE, (_, code: string | undefined, short: string) =>
        code === undefined ? (SHORT[short] ?? short) : String.fromCharCode(parseInt(code, 16)),
      )
    : json

/** What is all digits is an id where its field says so, and an amount elsewhere. */
const mayBeId = (text: string, field: string): boolean =>
  !/^\d+$/.test(text) || /ids?$/i.test(field)

type IsForgotten = (id: string) => boolean

/** Which ids are looked for, and who hears where one was found. */
interface Search {
  isForgotten: IsForgotten
  note(place: string): void
}

/**
 * The record without a forgotten person; `undefined` where it is theirs alone and goes as a whole,
 * the same text where nobody forgotten is in it. The id becomes `FORGOTTEN` wherever it stands, an
 * object that has it as its own is emptied, and fields that tell who somebody is are left out.
 * `note` hears where it stood: `memberId`, `member.id` of an object within, `id` of the record.
 */
export function scrubRecord(
  json: string,
  isForgotten: IsForgotten,
  note: (place: string) => void = () => {},
): string | undefined {
  if (![...possibleIds(json)].some(isForgotten)) return json
  const record = parseExact(json)
  if (isTheirs(record, isForgotten)) {
    note('id')
    return undefined
  }
  let found = false
  const search: Search = {
    isForgotten,
    note(place) {
      found = true
      note(place)
    },
  }
  const scrubbed = scrub(record, search)
  return found ? JSON.stringify(scrubbed) : json
}

/** `field` is the name under which the value stands, or the list that it is in. */
function scrub(value: unknown, search: Search, field = ''): unknown {
  const id = idText(value)
  if (id !== undefined) {
    if (!mayBeId(id, field) || !search.isForgotten(id)) return value
    search.note(field)
    return FORGOTTEN
  }
  if (Array.isArray(value)) return value.map(item => scrub(item, search, field))
  if (typeof value !== 'object' || value === null) return value
  if (isTheirs(value, search.isForgotten)) {
    search.note(`${field}.id`)
    return { id: FORGOTTEN }
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, scrub(item, search, name)] as const)
      .filter(([name, item]) => item === FORGOTTEN || !PERSONAL_FIELDS.has(name)),
  )
}

function isTheirs(value: unknown, isForgotten: IsForgotten): boolean {
  if (typeof value !== 'object' || value === null || !('id' in value)) return false
  const id = idText(value.id)
  return id !== undefined && isForgotten(id)
}

/** A text, or a number with its digits as `JSON.rawJSON` has made it: that has no prototype. */
function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  const isNumber =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
  return isNumber ? (value as { rawJSON: string }).rawJSON : undefined
}
