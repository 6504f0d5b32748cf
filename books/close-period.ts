import type { Config } from '../config.ts'
import type { ReadOnlyDatabase } from '../connectors/sqlite/read-only.ts'
import { UsageError } from '../errors.ts'
import type { Memory } from '../exports/memory.ts'
import { readMonth } from './month.ts'
import { closedMonths } from './periods.ts'

export interface PeriodOrder {
  config: Config
  database: ReadOnlyDatabase
  memory: Memory
  month: string
  by: string
}

/** How a store's month stands after an order to close it. */
export interface ClosedPeriod {
  store: string
  closed: boolean
  /** What keeps it from being closed. */
  missing: { day: string; why: string }[]
}

/** Closes a store's month if every day of it is over, proven, exported and booked. */
export async function closePeriod(order: PeriodOrder, store: string): Promise<ClosedPeriod> {
  const { memory, month, by } = order
  if (closedMonths(memory.periods(store)).includes(month))
    return { store, closed: true, missing: [] }
  const { days } = await readMonth(order, store, month)
  const missing = days.flatMap(({ day, obstacle }) =>
    obstacle === undefined ? [] : [{ day, why: obstacle }],
  )
  if (missing.length === 0)
    memory.recordPeriod({ store, month, event: 'closed', by, reason: null, at: now() })
  return { store, closed: missing.length === 0, missing }
}

/** Changes of the month are posted to its own days again. Throws a UsageError if they are already. */
export function reopenPeriod(order: PeriodOrder, store: string, reason: string): void {
  const { config, memory, month, by } = order
  const closed = closedMonths(memory.periods(store))
  if (!closed.includes(month))
    throw new UsageError(
      `${month} of ${store} was not closed by tillage books close`,
      `Closed months: ${closed.join(', ') || 'none'}. What accounting.periodClosedThrough (${config.accounting.periodClosedThrough ?? 'not set'}) closes, tillage.yaml opens.`,
    )
  if (closed.at(-1) !== month)
    throw new UsageError(
      `${closed.at(-1)} of ${store} is closed, and with it everything before`,
      `Reopen the later months first: tillage books reopen ${closed.at(-1)} --store ${store} --by NAME --reason TEXT`,
    )
  memory.recordPeriod({ store, month, event: 'reopened', by, reason, at: now() })
}

const now = (): string => new Date().toISOString()
