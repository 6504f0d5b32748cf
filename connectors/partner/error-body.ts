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
