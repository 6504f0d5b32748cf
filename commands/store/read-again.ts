import { addDays } from '../../calendar/days.ts'
import { countOf } from '../terminal/number.ts'

/** Windows of a stream that lose their proof; times in ISO, UTC. */
interface DoubtedWindows {
  stream: string
  windows: number
  from: string
  to: string
}

/** What has to be read again, with the command that does; two lines for each stream. */
export const describeReadAgain = (
  store: string,
  doubted: readonly DoubtedWindows[],
  dryRun: boolean,
): string[] =>
  doubted.flatMap(({ stream, windows, from, to }) => [
    `  ${countOf(windows, 'window')} of ${stream} ${dryRun ? 'would count' : 'count'} as unproven; ` +
      'read them again:',
    `    tillage sync ${stream} --store ${store} --from ${from.slice(0, 10)} --to ${nextDay(to)}`,
  ])

/** The UTC day that follows an instant: no range is too short. */
const nextDay = (iso: string): string => addDays(iso.slice(0, 10), 1)
