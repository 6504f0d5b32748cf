import { CENT, magnitude, roundToCents, sum } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'

/**
 * Rounds the two sides of one sale to cents. Each amount becomes the nearest cent; where these do
 * not add up to nothing, amounts with fractions of a cent, and only they, take the cent on their
 * other side, the nearest first. What is left then is no rounding: the figures do not tie out.
 */
export function roundTogether(amounts: readonly Amount[]): { rounded: Amount[]; residual: Amount } {
  const rounded = amounts.map(roundToCents)
  let residual = sum(rounded)
  const movable = amounts
    .map((amount, index) => ({ index, moved: rounded[index]! - amount }))
    .filter(({ moved }) => moved !== 0n && moved > 0n === residual > 0n)
    .sort((a, b) => Number(magnitude(b.moved) - magnitude(a.moved)) || a.index - b.index)
  for (const { index } of movable) {
    if (residual === 0n) break
    const step = residual > 0n ? CENT : -CENT
    rounded[index] = rounded[index]! - step
    residual -= step
  }
  return { rounded, residual }
}
