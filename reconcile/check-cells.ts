import type { Unit } from '../audit/snapshot.ts'

/** What is wrong with a cell. */
interface CellProblem {
  code: string
  message: string
}

const MOST_PLACES: Readonly<Record<Unit, number>> = { EACH: 0, GRAM: 4 }

/** In front of the point: what is longer is a tag or a barcode in the wrong cell. */
const MOST_DIGITS = 12

/** Plain decimals with a point, 0 or more; pieces whole, grams with four places at most. */
export function checkQuantity(text: string, unit: Unit): CellProblem | undefined {
  if (/^-\d+(\.\d+)?$/.test(text))
    return { code: 'QTY_NEGATIVE', message: `${text} is less than 0` }
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(text)
  if (parts === null) {
    const what = `${JSON.stringify(text)} is not a plain decimal; write 1234.5, with a point`
    return { code: 'QTY_INVALID', message: what }
  }
  const { length: digits } = parts[1]!
  if (digits > MOST_DIGITS)
    return {
      code: 'QTY_TOO_LARGE',
      message: `${text} has ${digits} digits; was a tag scanned into this cell?`,
    }
  const places = (parts[2] ?? '').replace(/0+$/, '').length
  if (places <= MOST_PLACES[unit]) return undefined
  return unit === 'EACH'
    ? { code: 'QTY_NOT_WHOLE', message: `${text} is not whole, and these are pieces` }
    : { code: 'QTY_PLACES', message: `${text} has more than 4 decimals` }
}
