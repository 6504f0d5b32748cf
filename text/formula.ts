/**
 * What Excel reads as a formula, even out of quotes: a cell that starts with one of these, in their
 * full-width forms too, whatever the writer or a reader leaves out in front of it (NUL, blanks,
 * line feeds). An apostrophe in front keeps it a text; a text that has one already gets another, so
 * that taking one away gives back what it was. Only texts are guarded: in front of a negative
 * amount it would turn the number into one. A pattern for JavaScript and for DuckDB's RE2.
 */
export const FORMULA_START = String.raw`'*(?:[\x00-\x20\x{FEFF}]*[=+\-@＝＋－＠]|[\t\r\n])`

const PATTERN = FORMULA_START.replace(String.raw`\x{FEFF}`, String.raw`\uFEFF`)
const FORMULA = new RegExp(`^${PATTERN}`)
const GUARDED = new RegExp(`^'(?=${PATTERN})`)

export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text that was guarded: the apostrophe is no part of it. */
export const unescapeFormula = (cell: string): string => cell.replace(GUARDED, '')
