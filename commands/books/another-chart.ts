import { addDays } from '../../calendar/days.ts'
import { countOf } from '../terminal/number.ts'

/** Which days stand by an earlier chart, and what says what today's would move before any is. */
export const describeAnotherChart = (store: string, days: readonly string[]): string =>
  `accounts changed since ${countOf(days.length, 'day')} from ${days[0]} to ${days.at(-1)} ` +
  'were posted: new days use them, posted days stay as they are. ' +
  `What would move: tillage journal --store ${store} --from ${days[0]} ` +
  `--to ${addDays(days.at(-1)!, 1)} --dry-run; to move a day: ` +
  `tillage journal --store ${store} --date DAY --restate --reason TEXT`
