import type { Kysely } from 'kysely'
import { toIso } from '../../calendar/days.ts'
import type { Ledger } from '../destination/ledger.ts'
import { failedReadings } from './failed-readings.ts'
import { isPlausible, readFirst, readStandings } from './ledger-standings.ts'
import type { Schema } from './schema.ts'
import { asLedgerRow } from './window/ledger-table.ts'

/** The tables `windows`, `readings` and `lateness`, read. */
export const createLedger = (db: Kysely<Schema>, now: () => number = Date.now): Ledger => ({
  async windows(store, stream, touching) {
    const all = db
      .selectFrom('windows')
      .select(['window_start', 'window_end', 'status', 'evidence'])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .where(isPlausible(now()))
    const asked =
      touching === undefined
        ? all
        : all
            .where('window_start', '<', toIso(touching.endMs))
            .where('window_end', '>', toIso(touching.startMs))
    return (await asked.execute()).map(asLedgerRow)
  },
  standings: store => readStandings(db, store, now()),
  failedReadings: (store, stream) => failedReadings(db, { store, stream, nowMs: now() }),
  provenSpan: (store, stream) =>
    db
      .selectFrom('windows')
      .select(({ fn }) => [fn.min('window_start').as('from'), fn.max('window_end').as('to')])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .where('status', '=', 'proven')
      .executeTakeFirstOrThrow(),
  lateness: (store, stream) =>
    db
      .selectFrom('lateness')
      .select(['day', 'max_ms as maxMs'])
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .execute(),
  firstReadAt: store => readFirst(db, store),
  async lastReadAt(store, stream) {
    const last = await db
      .selectFrom('readings')
      .select('read_at')
      .where('store_id', '=', store)
      .where('stream', '=', stream)
      .orderBy('batch', 'desc')
      .limit(1)
      .executeTakeFirst()
    return last?.read_at
  },
})
