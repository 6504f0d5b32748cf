import { existsSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { dayStart } from '../../calendar/clock.ts'
import type { Interval } from '../../calendar/interval.ts'
import { TillageError } from '../../errors.ts'
import type { LedgerRow } from '../destination/coverage.ts'
import type { Stream } from '../stream.ts'
import { kyselyOn, migrate, openConnection } from './database.ts'
import { readLedger } from './read-ledger.ts'
import type { Schema } from './schema.ts'

/** The database of a configuration for commands that only look. */
export interface OpenLedger {
  db: Kysely<Schema>
  /** The store's zone: as configured, else as the store said when it was last read. */
  timeZone(store: string): Promise<string>
  rows(store: string, stream: string): Promise<LedgerRow[]>
  close(): Promise<void>
}

/** Where the database is, and what the configuration says of the stores' zones. */
export interface LedgerPlace {
  database: string
  stores: readonly { id: string; timeZone?: string | undefined }[]
}

export async function openLedger(
  config: LedgerPlace,
  streams: readonly Stream[],
): Promise<OpenLedger> {
  if (!existsSync(config.database)) {
    throw new TillageError(
      'NOT_PROVEN',
      `nothing was read yet: there is no database at ${config.database}`,
      { remedy: 'Read something first: tillage sync --from yyyy-MM-dd --to yyyy-MM-dd' },
    )
  }
  await migrate(config.database, streams)
  const db = kyselyOn(openConnection(config.database, { readonly: true }))
  return {
    db,
    async timeZone(store) {
      const configured = config.stores.find(({ id }) => id === store)?.timeZone
      const told =
        configured ??
        (
          await db
            .selectFrom('stores')
            .select('time_zone')
            .where('store_id', '=', store)
            .executeTakeFirst()
        )?.time_zone
      if (told === undefined)
        throw new TillageError('NOT_PROVEN', `nothing was read of ${store} yet`, {
          remedy: `Read something first: tillage sync --store ${store} --from yyyy-MM-dd --to yyyy-MM-dd`,
        })
      return told
    },
    rows: (store, stream) => readLedger(db, store, stream),
    close: () => db.destroy(),
  }
}

/** Store days as instants. */
export const daysAsInterval = (
  { from, to }: { from: string; to: string },
  timeZone: string,
): Interval => ({ startMs: dayStart(from, timeZone), endMs: dayStart(to, timeZone) })
