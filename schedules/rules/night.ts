import { businessDays } from '../../calendar/business-day.ts'
import { dayOf } from '../../calendar/clock.ts'
import { nextAt } from '../../calendar/clock.ts'
import { addDays } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'

/** What decides which business day a night is for. */
export interface NightRules {
  timeZone: string
  /** Business-day cut-off, `HH:mm`. */
  dayStartsAt: string
  /** When its books must be ready, `HH:mm`. */
  deadline?: string | undefined
}

/**
 * A business day as instants: from its cut-off to the next day's; 23 or 25 hours where clocks
 * change.
 */
export const businessDay = (day: string, rules: NightRules): Interval =>
  businessDays({ from: day, to: addDays(day, 1) }, rules)

/** The newest business day that is over at this instant. */
export function dayBefore(ms: number, rules: NightRules): string {
  for (let day = dayOf(ms, rules.timeZone); ; day = addDays(day, -1))
    if (businessDay(day, rules).endMs <= ms) return day
}

/**
 * The books of a night are due at its first deadline after the nominal start; a night that is late
 * has no later one.
 */
export const deadlineOf = (
  nominalMs: number,
  { timeZone, deadline }: NightRules,
): number | undefined =>
  deadline === undefined ? undefined : nextAt(nominalMs, deadline, timeZone)
