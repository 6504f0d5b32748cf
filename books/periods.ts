import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { addDays } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import type { Schema } from '../connectors/sqlite/schema.ts'
import type { PeriodEvent } from '../exports/memory.ts'

/** The days of a month `yyyy-MM`, the second exclusive. */
export function monthRange(month: string): { from: string; to: string } {
  const from = `${month}-01`
  return { from, to: `${addDays(from, 31).slice(0, 7)}-01` }
}

/** Who closed and reopened which months of a store, oldest first. */
export async function periodEvents(db: Kysely<Schema>, store: string): Promise<PeriodEvent[]> {
  const table = await sql`SELECT 1 FROM sqlite_schema WHERE name = 'period_events'`.execute(db)
  if (table.rows.length === 0) return []
  const found = await sql<PeriodEvent>`
    SELECT store_id AS store, month, event, by_name AS by, reason, at
    FROM period_events WHERE store_id = ${store} ORDER BY id`.execute(db)
  return found.rows
}

/** Months that were closed and not reopened since, oldest first. */
export function closedMonths(events: readonly PeriodEvent[]): string[] {
  const last = new Map(events.map(({ month, event }) => [month, event]))
  return [...last].flatMap(([month, event]) => (event === 'closed' ? [month] : [])).toSorted()
}

/** The last day of the newest closed month, or the configured floor where that is later. */
export function laterOf(
  floor: string | undefined,
  events: readonly PeriodEvent[],
): string | undefined {
  const month = closedMonths(events).at(-1)
  if (month === undefined) return floor
  const lastDay = addDays(monthRange(month).to, -1)
  return floor !== undefined && floor > lastDay ? floor : lastDay
}

/** Until when a store's books are closed: changes of days up to then go to the current period. */
export const periodClosedThrough = async (
  { accounting }: Pick<Config, 'accounting'>,
  db: Kysely<Schema>,
  store: string,
): Promise<string | undefined> =>
  laterOf(accounting.periodClosedThrough, await periodEvents(db, store))
