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

/** Fields that tell of an error, by all the names that servers have for them. */
export const ERROR_FIELDS = [
  'errorType',
  'error',
  'field',
  'status',
  'statusCode',
  'code',
  'errors',
  'success',
] as const

/**
 * What tells an error body from an answer, where both come under status 200 (INV-4). Errors are
 * `{field, message, errorType}` (documentation, Errors, rule 1), one or a list, or the
 * `{error, message, status}` of the server underneath.
 */
export type ErrorFields = Record<(typeof ERROR_FIELDS)[number], unknown> & {
  /** True or 1, also where it is null. */
  hasMessage: unknown
  /** True or 1. */
  hasId: unknown
}

/** `error: false` and empty texts stand in answers that are none. */
const namesError = ({ errorType, error }: ErrorFields): boolean =>
  Boolean(errorType) || Boolean(error)

/** An answer that is an error, whatever else it holds. */
export const isErrorBody = (answer: ErrorFields): boolean =>
  Boolean(answer.hasMessage) && (namesError(answer) || Boolean(answer.field))

/** Errors come in lists too; a record has an id. */
export const isErrorItem = (item: ErrorFields): boolean => !item.hasId && isErrorBody(item)

/** As JSON or as SQLite has it, a list or an object that is empty names nothing. */
const holdsSome = (errors: unknown): boolean =>
  Boolean(errors) && !/^(\[\]|\{\}|0|false)$/.test(JSON.stringify(errors).replaceAll('"', ''))

/** A status of HTTP that is no success; codes of other kinds say nothing. */
const isFailure = (status: unknown): boolean =>
  (typeof status === 'number' || typeof status === 'string') && /^[45]\d\d$/.test(String(status))

/**
 * An empty list beside an error is no list: anything that says that something went wrong is enough,
 * since "no rows" makes rows of ours disappear (INV-5).
 */
export const refusesEmptyList = (answer: ErrorFields): boolean =>
  isErrorBody(answer) ||
  namesError(answer) ||
  holdsSome(answer.errors) ||
  // As JSON or as SQLite has it.
  answer.success === false ||
  answer.success === 0 ||
  [answer.status, answer.statusCode, answer.code].some(isFailure)

/** The same fields of an answer that was parsed already; undefined where it is no object. */
export function errorFieldsIn(value: unknown): ErrorFields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields = ERROR_FIELDS.map(name => [name, (value as Record<string, unknown>)[name]])
  const has = { hasMessage: 'message' in value, hasId: 'id' in value }
  return { ...Object.fromEntries(fields), ...has } as ErrorFields
}
