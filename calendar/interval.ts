/** Half-open intervals of epoch milliseconds, `[startMs, endMs)`. */
export interface Interval {
  startMs: number
  endMs: number
}

/** What is left of an interval without the others; sorted. */
export function subtract(interval: Interval, others: readonly Interval[]): Interval[] {
  let left: Interval[] = interval.startMs < interval.endMs ? [interval] : []
  for (const other of others) {
    left = left.flatMap(part =>
      [
        { startMs: part.startMs, endMs: Math.min(part.endMs, other.startMs) },
        { startMs: Math.max(part.startMs, other.endMs), endMs: part.endMs },
      ].filter(
        rest =>
          rest.startMs < rest.endMs && rest.startMs >= part.startMs && rest.endMs <= part.endMs,
      ),
    )
  }
  return merge(left)
}

/** Sorted, with neighbours that touch or overlap joined. */
export function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const next of [...intervals].sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs)) {
    const last = merged.at(-1)
    if (last !== undefined && next.startMs <= last.endMs)
      last.endMs = Math.max(last.endMs, next.endMs)
    else merged.push({ ...next })
  }
  return merged
}

/** The watermark: from the earliest proven instant, everything below it is proven without a gap. */
export function watermark(proven: readonly Interval[]): number | undefined {
  return merge(proven)[0]?.endMs
}
