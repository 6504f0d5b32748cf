import type { Kysely } from 'kysely'
import { dayStart } from '../../calendar/clock.ts'
import { toIso } from '../../calendar/days.ts'
import type { Schema } from './schema.ts'

/**
 * How many dead letters of a stream stand, neither replayed nor discarded, in windows that touch
 * these store days (`to` exclusive); without days, all of them. A list without dates has no days.
 */
export async function countStandingLetters(
  db: Kysely<Schema>,
  store: string,
  stream: { name: string; windowing: string },
  days: { from?: string | undefined; to?: string | undefined },
): Promise<number> {
  const zone = (
    await db
      .selectFrom('stores')
      .select('time_zone')
      .where('store_id', '=', store)
      .executeTakeFirst()
  )?.time_zone
  const instant = (day: string | undefined): string | undefined =>
    day === undefined || zone === undefined || stream.windowing === 'full-refresh'
      ? undefined
      : toIso(dayStart(day, zone))
  const [start, end] = [instant(days.from), instant(days.to)]
  const letters = db
    .selectFrom('dead_letters')
    .select(all => all.fn.countAll<number>().as('count'))
    .where('store_id', '=', store)
    .where('stream', '=', stream.name)
  const since = start === undefined ? letters : letters.where('window_end', '>', start)
  return (
    await (
      end === undefined ? since : since.where('window_start', '<', end)
    ).executeTakeFirstOrThrow()
  ).count
}
