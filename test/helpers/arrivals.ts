/**
 * By how many requests the worst span of time had more than the limit lets through in it. Those
 * that a busy machine sends late arrive together with the ones after them.
 */
export const mostBeyondLimit = (timesMs: readonly number[], perSecond: number): number =>
  Math.max(...timesMs.map((_, first) => mostBeyondFrom(timesMs.slice(first), perSecond)))

const mostBeyondFrom = ([fromMs, ...laterMs]: readonly number[], perSecond: number): number =>
  Math.max(1, ...laterMs.map((ms, at) => at + 2 - (perSecond * (ms - fromMs!)) / 1000))
