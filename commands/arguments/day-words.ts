import { dayOf } from '../../calendar/clock.ts'
import { addDays } from '../../calendar/days.ts'
import { HERE } from './here.ts'

/** `today` and `yesterday` as days of this machine's calendar; whatever else is given as it is. */
export function readDay(text: string, nowMs = Date.now(), timeZone = HERE): string {
  const today = dayOf(nowMs, timeZone)
  if (text === 'today') return today
  return text === 'yesterday' ? addDays(today, -1) : text
}

/** `this` and `last` as months, `yyyy-MM`. */
export function readMonthName(text: string, nowMs = Date.now(), timeZone = HERE): string {
  const month = dayOf(nowMs, timeZone).slice(0, 7)
  if (text === 'this') return month
  return text === 'last' ? addDays(`${month}-01`, -1).slice(0, 7) : text
}
