import type { Amount } from '../../money/amount.ts'
import { CENT, magnitude, sum } from '../../money/amount.ts'

/**
 * Splits a discount over lines by their net, by largest remainder, so that the parts add up to the
 * whole to the last digit; in cents wherever the whole is in cents. The first of two equal
 * remainders gets the cent.
 */
export function allocate(whole: Amount, nets: readonly Amount[]): Amount[] {
  const weights = nets.map(magnitude)
  const total = sum(weights)
  if (whole === 0n || nets.length === 0) return nets.map(() => 0n)
  if (total === 0n) return nets.map((_, index) => (index === 0 ? whole : 0n))
  const step = whole % CENT === 0n ? CENT : 1n
  const steps = magnitude(whole) / step
  const parts = weights.map(weight => ({
    floor: (steps * weight) / total,
    rest: (steps * weight) % total,
  }))
  const left = Number(steps - sum(parts.map(({ floor }) => floor)))
  const order = parts
    .map((_, index) => index)
    .sort(
      (a, b) =>
        Number(parts[b]!.rest > parts[a]!.rest) - Number(parts[a]!.rest > parts[b]!.rest) || a - b,
    )
  const extra = new Set(order.slice(0, left))
  return parts.map(
    ({ floor }, index) => (whole < 0n ? -1n : 1n) * (floor + (extra.has(index) ? 1n : 0n)) * step,
  )
}
