/** Whether two JSON texts of one record say the same. */

/** The same content may be spelled in another order of keys; other digits are other content. */
export const sameContent = (ours: string, theirs: string): boolean =>
  canonicalJson(ours) === canonicalJson(theirs)

/**
 * Asked for by its id, a record may carry more or less than in a list: what both carry must be the
 * same.
 */
export function sameWhereBoth(ours: string, theirs: string): boolean {
  const both = (one: unknown, other: unknown): boolean => {
    if (Array.isArray(one) && Array.isArray(other))
      return one.length === other.length && one.every((item, index) => both(item, other[index]))
    if (!isObject(one) || !isObject(other)) return one === other
    return Object.keys(one).every(key => !Object.hasOwn(other, key) || both(one[key], other[key]))
  }
  return both(JSON.parse(ours, keepDigits), JSON.parse(theirs, keepDigits))
}

/** The same text for the same content: keys sorted, numbers with the digits that they came with. */
export function canonicalJson(text: string): string {
  try {
    return JSON.stringify(sortKeys(JSON.parse(text, keepDigits)))
  } catch {
    return text
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, inner]) => [key, sortKeys(inner)]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A number becomes a text with its own digits, which no text of a record begins like. */
const keepDigits = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? `\u0000${context?.source ?? String(value)}` : value
