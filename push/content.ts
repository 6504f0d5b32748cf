import { hash } from 'node:crypto'
import { isRecord, tokenOf } from '../text/exact-json.ts'
import type { Json, JsonRecord } from '../text/exact-json.ts'

/**
 * Fields that the server moves by itself while nobody edits the record: stock and times of
 * synchronisation. They go back as they were just read.
 */
const SERVERS_OWN = /^(quantities|instock|total\w*Quantity|last\w*Sync(Time|Status))$/

/** Fields of an answer that follow from other records. */
const DERIVED: ReadonlySet<string> = new Set([
  'brandList',
  'brand',
  'category',
  'brandName',
  'shop',
  'shopsList',
])

/**
 * What a person would call the content of a record: without the server's own and derived fields.
 */
export const contentOf = (record: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([field]) => field !== 'modified' && !SERVERS_OWN.test(field) && !DERIVED.has(field),
    ),
  )

/** sha256 of the content, the same for any order of fields; digits count, not values. */
export const contentHash = (record: JsonRecord): string =>
  hash('sha256', canonical(contentOf(record)))

function canonical(value: Json): string {
  const token = tokenOf(value)
  if (token !== undefined) return token
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value ?? null)
  const fields = Object.keys(value)
    .toSorted()
    .map(field => `${JSON.stringify(field)}:${canonical(value[field])}`)
  return `{${fields.join(',')}}`
}

/** Whether two values are the same JSON, whatever the order of their fields. */
export const sameJson = (a: Json, b: Json): boolean => canonical(a) === canonical(b)

/** `modified` as the record writes it. */
export const modifiedOf = (record: JsonRecord): string | null =>
  tokenOf(record['modified']) ??
  (typeof record['modified'] === 'string' ? record['modified'] : null)
