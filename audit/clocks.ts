import { wallTime, dayOf, instantAt } from '../calendar/clock.ts'
import { addDays, describeDuration, HOUR_MS, toIso, toMinute } from '../calendar/days.ts'
import type { ReconcileSettings } from './settings.ts'
import type { Rules } from './state-rules.ts'

/** What somebody has to do once a significant discrepancy is confirmed. */
export const STEPS = ['notice', 'report'] as const
export type Step = (typeof STEPS)[number]

/** By when, and which rule says so. */
export interface Clock {
  step: Step
  /** ISO, UTC. */
  dueAt: string
  source: string
}

/**
 * The clocks that a confirmation starts: the notice to the authorities in hours, the report in
 * business days of the store. Pure.
 */
export const clocksOf = (
  confirmedMs: number,
  timeZone: string,
  {
    noticeHours,
    reportBusinessDays,
  }: Pick<ReconcileSettings, 'noticeHours' | 'reportBusinessDays'>,
  { noticeSource, reportSource }: Pick<Rules, 'noticeSource' | 'reportSource'>,
): Clock[] => [
  {
    step: 'notice',
    dueAt: toIso(confirmedMs + noticeHours * HOUR_MS),
    source: noticeSource || OF_SETTINGS,
  },
  {
    step: 'report',
    dueAt: toIso(businessDaysLater(confirmedMs, reportBusinessDays, timeZone)),
    source: reportSource || OF_SETTINGS,
  },
]

/** No rule of a state is known to ask for it. */
const OF_SETTINGS = 'tillage.yaml; no rule of a state is configured for it'

/** The same time of day so many business days later; Saturdays and Sundays do not count. */
export function businessDaysLater(fromMs: number, days: number, timeZone: string): number {
  let day = dayOf(fromMs, timeZone)
  for (let left = days; left > 0;) {
    day = addDays(day, 1)
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    if (weekday !== 0 && weekday !== 6) left--
  }
  return instantAt(day, wallTime(fromMs, timeZone), timeZone)
}

/** What has to be done, in the words of `status` and of the report. */
export const MEANS: Readonly<Record<Step, string>> = {
  notice: 'notify the authorities of the significant discrepancy',
  report: 'report the discrepancies',
}

/** `notify the authorities of ... in 5 hours (by 2026-11-23 07:00 UTC)`. */
export function describeClock(
  { step, dueAt }: Pick<Clock, 'step' | 'dueAt'>,
  nowMs: number,
): string {
  const leftMs = Date.parse(dueAt) - nowMs
  const when = `${toMinute(dueAt)} UTC`
  return leftMs > 0
    ? `${MEANS[step]} within ${describeDuration(leftMs)} (by ${when})`
    : `${MEANS[step]}: that was due ${describeDuration(-leftMs)} ago (${when})`
}
