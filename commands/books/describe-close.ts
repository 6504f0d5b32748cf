import type { ClosedPeriod } from '../../books/close-period.ts'
import { addDays } from '../../calendar/days.ts'
import { describeUnpostedDays } from '../../standing/describe-unposted.ts'
import { unpostedAsJson } from './describe-month.ts'

type Missing = ClosedPeriod['missing'][number]

/** As `books close --json` answers for a store. */
export const periodAsJson = ({ missing, ...period }: ClosedPeriod): object => ({
  ...period,
  missing: missing.map(({ unposted, ...day }) =>
    unposted === undefined ? day : { ...day, unposted: unpostedAsJson(unposted) },
  ),
})

/** What keeps a month open: neighbouring days with one reason, and each day that changed. */
export const describeMissing = (missing: readonly Missing[]): string[] => [
  ...describeRuns(missing.filter(({ unposted }) => unposted === undefined)),
  ...describeUnpostedDays(missing.flatMap(({ unposted }) => unposted ?? [])),
]

function describeRuns(missing: readonly Missing[]): string[] {
  const runs: { from: string; to: string; why: string }[] = []
  for (const { day, why } of missing) {
    const last = runs.at(-1)
    if (last?.why === why && addDays(last.to, 1) === day) last.to = day
    else runs.push({ from: day, to: day, why })
  }
  return runs.map(({ from, to, why }) =>
    from === to ? `${from} ${why}` : `each day from ${from} to ${to} ${why}`,
  )
}
