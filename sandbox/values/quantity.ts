/**
 * Quantities are whole ten-thousandths inside (an ounce is 28.3495 g) and JSON numbers with two to
 * four digits on the wire: `12.00`.
 */

const SCALE = 10_000

/**
 * From a number, a number token or its text; undefined unless it is a number. Rounded to four
 * digits.
 */
export function readQuantity(value: unknown): number | undefined {
  const text =
    typeof value === 'object' && value !== null && 'rawJSON' in value
      ? String(value.rawJSON)
      : value
  if (typeof text !== 'number' && (typeof text !== 'string' || text.trim() === '')) return undefined
  const number = Math.round(Number(text) * SCALE)
  return Number.isSafeInteger(number) ? number : undefined
}

/** Ten-thousandths as a token for `JSON.stringify`. */
export function quantity(tenThousandths: number): object {
  const digits = String(Math.abs(tenThousandths)).padStart(5, '0')
  const decimals = digits.slice(-4).replace(/0{1,2}$/, '')
  return JSON.rawJSON(`${tenThousandths < 0 ? '-' : ''}${digits.slice(0, -4)}.${decimals}`)
}
