/**
 * The fields under which lists of this API family stand, as the documentation or its servers show.
 */
export const LIST_FIELDS = ['values', 'searchResult', 'results'] as const

export type ListField = (typeof LIST_FIELDS)[number]

/** How findings and the ledger name an envelope. */
export const ENVELOPE_NAMES: Readonly<Record<ListField, string>> = {
  values: '{values, total}',
  searchResult: '{searchResult, total}',
  results: '{results, cursor}',
}

/**
 * The list in an answer that was parsed already: bare, or under one of the fields. A list that is
 * null, or left away, is empty where the total says 0. Undefined: this is no list.
 */
export function listIn(answer: unknown): unknown[] | undefined {
  if (Array.isArray(answer)) return answer
  if (typeof answer !== 'object' || answer === null) return undefined
  const fields = answer as Record<string, unknown>
  const found = LIST_FIELDS.map(name => fields[name]).find(value => Array.isArray(value))
  if (found !== undefined) return found as unknown[]
  const isNull = LIST_FIELDS.some(name => fields[name] === null)
  return (isNull && readTotal(fields['total']) === 0) || leavesListAway(fields) ? [] : undefined
}

/**
 * Whether an answer says that there is nothing and has no list at all. A list of another name, a
 * record and a message are something, so such an answer is none of these.
 */
export function leavesListAway(fields: Readonly<Record<string, unknown>>): boolean {
  const { total, count = 0, id, message } = fields
  const holdsMore = Object.values(fields).some(value => typeof value === 'object' && value !== null)
  const saysNothing = readTotal(total) === 0 && readTotal(count) === 0
  return saysNothing && !holdsMore && id === undefined && message === undefined
}

/**
 * How many there are in all; some servers write the number as text, or as 250.0, and -1 where they
 * have not counted.
 */
export function readTotal(total: unknown): number | null {
  if (typeof total === 'number') return Number.isInteger(total) && total >= 0 ? total : null
  return typeof total === 'string' && /^\d{1,15}$/.test(total) ? Number(total) : null
}
