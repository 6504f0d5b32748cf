/** Decimals as the file writes them, with a point or with a comma. Pure. */
import type { Separator } from './table.ts'

/**
 * How a file writes decimals. `unclear`: nothing in it says whether a comma is a decimal comma or
 * parts thousands.
 */
export type DecimalStyle = 'point' | 'comma' | 'unclear'

const WITH_POINT = /^-?\d+\.\d+$/
const WITH_COMMA = /^-?\d+,\d+$/
/** `1,234` may be 1.234 and 1234; `0,123` and `1234,567` may not. */
const MAY_BE_THOUSANDS = /^-?[1-9]\d{0,2},\d{3}$/

/**
 * A comma is a decimal comma only where it separates no columns, where a cell shows it that cannot
 * be read in another way, and where no cell has a point.
 */
export function findDecimalStyle(
  cells: readonly string[],
  separator: Separator | undefined,
): DecimalStyle {
  const commas = cells.filter(cell => WITH_COMMA.test(cell))
  if (commas.length === 0 || separator === undefined || separator === ',') return 'point'
  if (cells.some(cell => WITH_POINT.test(cell))) return 'point'
  return commas.every(cell => MAY_BE_THOUSANDS.test(cell)) ? 'unclear' : 'comma'
}

/** A cell with a point, whatever the file writes; others, right or wrong, as they are. */
export const withPoint = (cell: string, style: DecimalStyle): string =>
  style === 'comma' && WITH_COMMA.test(cell) ? cell.replace(',', '.') : cell

/** Why a cell cannot be read, with both readings; undefined where that is not why. */
export function explainComma(cell: string, style: DecimalStyle): string | undefined {
  if (style !== 'unclear' || !MAY_BE_THOUSANDS.test(cell)) return undefined
  const [decimal, whole] = [cell.replace(',', '.'), cell.replace(',', '')]
  return (
    `${cell} may be ${decimal} or ${whole}, and nothing in the file says which; ` +
    `write ${decimal} or ${whole} (as .xlsx it would do)`
  )
}
