import { compareDecimals } from '../../money/decimal.ts'
import { isEmpty, isRecord, tokenOf } from '../../text/exact-json.ts'
import type { Json, JsonRecord } from '../../text/exact-json.ts'
import { idOf, sameText, textField } from '../live.ts'

/**
 * Whether a value says all that is asked for. Fields that were added to records do not matter, nor
 * does the order of a list, nor whether digits come as a number or as a text (decision 20).
 */
export function covers(value: Json, asked: Json): boolean {
  if (isEmpty(asked)) return isCleared(value)
  if (Array.isArray(asked)) return coversList(value, asked)
  if (isRecord(asked)) return isRecord(value) && coversRecord(value, asked)
  const token = tokenOf(asked)
  if (token !== undefined) return compareDecimals(textOf(value) ?? '', token) === 0
  return typeof asked === 'string' ? sameText(textOf(value) ?? '', asked) : value === asked
}

/** A number or a text, as text. */
const textOf = (value: Json): string | undefined =>
  typeof value === 'string' ? value : tokenOf(value)

/** Nothing, or the 0 that the documentation names as the default of amounts. */
export const isCleared = (value: Json): boolean =>
  isEmpty(value) || compareDecimals(tokenOf(value) ?? '', '0') === 0

/** Each item is there, once for each time that it is asked for. */
function coversList(value: Json, asked: readonly Json[]): boolean {
  if (!Array.isArray(value) || value.length !== asked.length) return false
  const left: Json[] = [...value]
  return asked.every(item => {
    const at = left.findIndex(one => covers(one, item))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}

/** A record that has an id is known by it: a picture's addresses may change. */
function coversRecord(value: JsonRecord, asked: JsonRecord): boolean {
  const id = idOf(asked)
  if (id !== '' && textField(asked, 'key') !== '') return idOf(value) === id
  return Object.entries(asked).every(([field, inner]) => covers(value[field], inner))
}
