import { DAY_MS, merge } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'

/**
 * Until when edits of a day's transactions are known. A transaction is edited long after it ended,
 * and is then found where it was last modified: whoever has not read on from the day without a gap
 * does not know what the day looks like by now.
 */
export interface Edits {
  /** Everything modified from the day's start until then is proven. */
  knownUntilMs: number
  /**
   * - `settled`: the day's end and the lookback lie behind; edits are rare from then on, and make
   *   revisions
   * - `open`: there was no later reading; edits may come
   * - `hole`: later readings are there, but not all in between is proven: edits may be missing
   */
  state: 'settled' | 'open' | 'hole'
}

/**
 * Judges by the intervals that are proven. Those of the range itself are taken to be among them.
 */
export function judgeEdits(
  proven: readonly Interval[],
  range: Interval,
  lookbackDays: number,
): Edits {
  const parts = merge(proven)
  const knownUntilMs =
    parts.find(part => part.startMs <= range.startMs && part.endMs > range.startMs)?.endMs ??
    range.endMs
  const newestMs = Math.max(knownUntilMs, ...parts.map(part => part.endMs))
  if (knownUntilMs >= range.endMs + lookbackDays * DAY_MS) return { knownUntilMs, state: 'settled' }
  return { knownUntilMs, state: newestMs > knownUntilMs ? 'hole' : 'open' }
}
