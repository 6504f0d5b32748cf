import { addDays } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { UsageError } from '../errors.ts'
import type { PostingHistory } from '../exports/posting-history.ts'
import { isUnproven, readMonth } from './month.ts'
import type { MonthDay } from './month.ts'
import {
  closedMonths,
  configuredFloor,
  firstGiven,
  monthRange,
  periodClosedThrough,
} from './periods.ts'
import type { UnpostedDay } from './unposted-days.ts'

export interface PeriodOrder {
  config: Config
  database: ReadOnlyDatabase
  history: PostingHistory
  month: string
  by: string
}

/** How a store's month stands after an order to close it. */
export interface ClosedPeriod {
  store: string
  closed: boolean
  /** What keeps it from being closed. */
  missing: { day: string; why: string; unposted?: UnpostedDay }[]
}

/** Closes a store's month if every day of it is over, proven, exported and booked. */
export async function closePeriod(order: PeriodOrder, store: string): Promise<ClosedPeriod> {
  const { history, month, by } = order
  if (closedMonths(await history.periods(store)).includes(month))
    return { store, closed: true, missing: [] }
  const given = await firstGiven(history, store)
  const first = given !== undefined && given < `${month}-01` ? given : `${month}-01`
  const missing: ClosedPeriod['missing'] = []
  for (const one of [...(await openBefore(order, store, first)), month]) {
    const { days } = await readMonth(order, store, one)
    const inWay = ({ day, obstacle }: MonthDay): boolean =>
      obstacle !== undefined && (one === month || (day >= first && !isUnproven(obstacle)))
    missing.push(...days.filter(inWay).map(asMissing))
  }
  if (missing.length === 0)
    await history.recordPeriod({ store, month, event: 'closed', by, reason: null, at: now() })
  return { store, closed: missing.length === 0, missing }
}

const asMissing = ({ day, obstacle, unposted }: MonthDay): ClosedPeriod['missing'][number] => ({
  day,
  why: obstacle!,
  ...(unposted === undefined ? {} : { unposted }),
})

/**
 * Earlier months that this one would close, since everything up to its last day counts as closed:
 * those since the first day given out that are open.
 */
async function openBefore(
  { config, history, month }: PeriodOrder,
  store: string,
  first: string,
): Promise<string[]> {
  const closed = (await periodClosedThrough(config, history, store)) ?? ''
  const months: string[] = []
  for (let one = first.slice(0, 7); one < month; one = monthRange(one).to.slice(0, 7))
    if (addDays(monthRange(one).to, -1) > closed) months.push(one)
  return months
}

/** Throws a UsageError if changes of the month are posted to its own days already. */
export async function requireClosed(
  { config, history, month }: PeriodOrder,
  store: string,
): Promise<void> {
  const closed = closedMonths(await history.periods(store))
  if (!closed.includes(month))
    throw new UsageError(
      `${month} of ${store} was not closed by tillage books close`,
      `Closed months: ${closed.join(', ') || 'none'}. What accounting.periodClosedThrough ` +
        `(${configuredFloor(config, store) ?? 'not set'}) closes, tillage.yaml opens.`,
    )
  if (closed.at(-1) !== month)
    throw new UsageError(
      `${closed.at(-1)} of ${store} is closed, and with it everything before`,
      `Reopen the later months first: tillage books reopen ${closed.at(-1)} --store ${store} ` +
        '--by NAME --reason TEXT',
    )
}

/** Changes of the month, which is closed, are posted to its own days again. */
export async function reopenPeriod(
  { history, month, by }: PeriodOrder,
  store: string,
  reason: string,
): Promise<void> {
  await history.recordPeriod({ store, month, event: 'reopened', by, reason, at: now() })
}

const now = (): string => new Date().toISOString()
