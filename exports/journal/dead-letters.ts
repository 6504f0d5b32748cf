import type { Interval } from '../../calendar/interval.ts'
import { readSale } from '../books/read-sale.ts'

/**
 * How many records that no table could take belong to a day, or may: one that does not say when it
 * was, or that cannot be read at all, counts for every day.
 */
export function countDeadLetters(raws: readonly string[], day: Interval): number {
  return raws.filter(raw => {
    const bookedMs = timeOf(raw)
    return bookedMs === undefined || (bookedMs >= day.startMs && bookedMs < day.endMs)
  }).length
}

function timeOf(raw: string): number | undefined {
  try {
    const { completedMs, processedMs, modifiedMs, createdMs } = readSale(raw)
    return completedMs ?? processedMs ?? modifiedMs ?? createdMs
  } catch {
    return undefined
  }
}
