/**
 * Excel reads a cell that starts so as a formula, even out of quotes. An apostrophe in front keeps
 * it a text; only texts are guarded, since in front of a negative amount it would turn the number
 * into one.
 */
export const FORMULA_STARTS = String.raw`=+\-@\t\r`

const FORMULA = new RegExp(`^[${FORMULA_STARTS}]`)
const GUARDED = new RegExp(`^'(?=[${FORMULA_STARTS}])`)

export const guard = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text that was guarded: the apostrophe is no part of it. */
export const unguard = (cell: string): string => cell.replace(GUARDED, '')
