import { wallTime, dayOf } from '../calendar/clock.ts'
import { countOf } from '../commands/terminal/number.ts'

/** How one stream of one store stands. Times are ISO texts in UTC. */
export interface StreamStatus {
  store: string
  stream: string
  rows: number
  /** From when until when anything is proven; null: nothing is. A list without dates has none. */
  provenFrom: string | null
  provenUntil: string | null
  /** Parts between those two that are not proven. */
  gaps: { start: string; end: string }[]
  /** Everything below it is proven, contiguously. */
  watermark: string | null
  unproven: number
  /** Since when the oldest of them was tried in vain. */
  unprovenSince: string | null
  deadLetters: number
  /** Those that newer readings still show. */
  findings: number
  /** Those that newer readings did not show again. */
  findingsOver: number
  lastReadAt: string | null
  /** Fields that changed their type or are missing, as newer readings still show. */
  shapeChanges: { detail: string; since: string }[]
  /** False: the API, or this partner key, does not have it, and it was never proven. */
  offered: boolean
}

/** Of all streams together. */
export const rowsOf = (all: readonly StreamStatus[]): number =>
  all.reduce((sum, { rows }) => sum + rows, 0)

/** A span in the store's own time: `2026-10-01 to 2026-10-31 21:20, 1 gap`. */
export function describeSpan(
  { provenFrom, provenUntil, gaps }: Pick<StreamStatus, 'provenFrom' | 'provenUntil' | 'gaps'>,
  timeZone: string,
): string {
  if (provenFrom === null || provenUntil === null) return 'nothing'
  const until = Date.parse(provenUntil)
  const clock = wallTime(until, timeZone)
  const end = clock === '00:00' ? dayOf(until - 1, timeZone) : `${dayOf(until, timeZone)} ${clock}`
  const holes = gaps.length === 0 ? '' : `, ${countOf(gaps.length, 'gap')}`
  return `${dayOf(Date.parse(provenFrom), timeZone)} to ${end}${holes}`
}
