import { sha256Of } from '../sha256.ts'
import { canonicalJson, tokenOf } from '../text/exact-json.ts'
import type { JsonRecord } from '../text/exact-json.ts'

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
  sha256Of(canonicalJson(contentOf(record)))

/** `modified` as the record writes it. */
export const modifiedOf = (record: JsonRecord): string | null =>
  tokenOf(record['modified']) ??
  (typeof record['modified'] === 'string' ? record['modified'] : null)
