import type { Kysely } from 'kysely'
import { dayStart } from '../../calendar/clock.ts'
import { toIso } from '../../calendar/days.ts'
import type { DeadLetters } from '../destination/dead-letters.ts'
import type { Schema } from './schema.ts'

/** The table `dead_letters`, as people read and empty it. */
export const createDeadLetters = (
  db: Kysely<Schema>,
  writer: Pick<DeadLetters, 'replay' | 'discard'>,
): DeadLetters => ({
  async of(stores, streams) {
    const rows = await db
      .selectFrom('dead_letters')
      .selectAll()
      .where('store_id', 'in', stores)
      .where('stream', 'in', streams)
      .orderBy('store_id')
      .orderBy('stream')
      .orderBy('record_key')
      .execute()
    return rows.map(row => ({
      store: row.store_id,
      stream: row.stream,
      key: row.record_key,
      reason: row.reason,
      raw: row.raw,
      window: { start: row.window_start, end: row.window_end },
      firstSeenAt: row.first_seen_at,
    }))
  },
  count: (store, stream, days) => countDeadLetters(db, store, stream, days),
  async counts(store) {
    const found = await db
      .selectFrom('dead_letters')
      .select(({ fn }) => ['stream', fn.countAll<number>().as('letters')])
      .where('store_id', '=', store)
      .groupBy('stream')
      .execute()
    return new Map(found.map(({ stream, letters }) => [stream, letters]))
  },
  replay: letters => writer.replay(letters),
  discard: letters => writer.discard(letters),
})

/**
 * How many dead letters of a stream stand, neither replayed nor discarded, in windows that touch
 * these store days (`to` exclusive); without days, all of them. A list without dates has no days.
 */
async function countDeadLetters(
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
