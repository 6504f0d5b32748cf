import type { Interval } from '../../calendar/days.ts'
import { readSale } from '../sales/read-sale.ts'

/**
 * How many records that no table could take belong to a day, or may: one that does not say when it
 * was, whose times are all outside of `possible`, or that cannot be read at all, counts for every
 * day. Each has its states: what came, and what stands in the table of it, which may be on another
 * day and is no longer true.
 */
export function countDeadLetters(
  letters: readonly (readonly string[])[],
  day: Interval,
  possible: Interval,
): number {
  const mayBeOf = (raw: string): boolean => {
    const bookedMs = timesOf(raw).find(ms => isWithin(ms, possible))
    return bookedMs === undefined || isWithin(bookedMs, day)
  }
  return letters.filter(states => states.some(mayBeOf)).length
}

const isWithin = (ms: number, { startMs, endMs }: Interval): boolean => ms >= startMs && ms < endMs

/** The times that may book a sale, the first that is there counts. */
function timesOf(raw: string): number[] {
  try {
    const { completedMs, processedMs, modifiedMs, createdMs } = readSale(raw)
    const times = [completedMs, processedMs, modifiedMs, createdMs]
    return times.filter(ms => ms !== undefined)
  } catch {
    return []
  }
}
