/** Whether two JSON texts of one record say the same. */
import { isRecord, parseExact, sameJson } from '../../../text/exact-json.ts'
import type { Json } from '../../../text/exact-json.ts'

/**
 * The same content may be spelled in another order of keys; other digits are other content. What is
 * no JSON is the same letter for letter.
 */
export function sameContent(ours: string, theirs: string): boolean {
  if (ours === theirs) return true
  try {
    return sameJson(parseExact(ours), parseExact(theirs))
  } catch {
    return false
  }
}

/**
 * Asked for by its id, a record may carry more or less than in a list: what both carry must be the
 * same.
 */
export const sameWhereBoth = (ours: string, theirs: string): boolean =>
  sameInBoth(parseExact(ours), parseExact(theirs))

function sameInBoth(one: Json, other: Json): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => sameInBoth(item, other[at]))
  if (!isRecord(one) || !isRecord(other)) return sameJson(one, other)
  return Object.keys(one).every(
    key => !Object.hasOwn(other, key) || sameInBoth(one[key], other[key]),
  )
}
