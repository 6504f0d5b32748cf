import { toMinute } from '../../calendar/days.ts'
import type { PeriodEvent } from '../../connectors/destination/given-out.ts'

/** Who closed or reopened a month, when and why. */
export const describePeriodEvent = ({ store, month, event, by, reason, at }: PeriodEvent): string =>
  `${store}: ${month} ${event} by ${by}, ${toMinute(at)} UTC${reason === null ? '' : `: ${reason}`}`
