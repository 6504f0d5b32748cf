import { tzOffset } from '@date-fns/tz'
import { DAY_MS } from './days.ts'

/** Before that, nobody sold anything that is read here. */
const COMPARED_DAYS = 10 * 366

/**
 * Whether two time zones mean the same for a store: one name, two names of one zone, or two zones
 * whose clocks have agreed for ten years and agree in the year to come.
 */
export function isSameZone(one: string, other: string, nowMs: number): boolean {
  if (one === other) return true
  for (let day = -COMPARED_DAYS; day <= 366; day++) {
    const at = new Date(nowMs + day * DAY_MS)
    if (tzOffset(one, at) !== tzOffset(other, at)) return false
  }
  return true
}
