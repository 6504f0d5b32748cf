import { isSameZone } from '../../calendar/same-zone.ts'
import { TillageError } from '../../errors.ts'
import type { DatabasePlace, ReadOnlyDatabase } from '../destination/read-only.ts'
import type { Stream } from '../stream.ts'
import { openConnection } from './connection/open-connection.ts'
import { closeWithKysely, kyselyOn } from './connection/query-builder.ts'
import { tablesOf } from './destination.ts'
import { refuseOlder } from './schema/migrate.ts'
import { refuseUnread } from './schema/refuse-unread.ts'
import { openGivenOut } from './tables/given-out.ts'
import { readFreshness } from './tables/hints.ts'
import { closeInOrder } from './upkeep/unclean-end.ts'
import { logBytesOf } from './writer/close-checked.ts'
import { refuseWrites } from './writer/writer.ts'

/**
 * Opens it as it is. Fails with NOT_PROVEN where nothing was read yet, and with DATABASE_OLDER
 * where its tables are not those of this version.
 */
export async function openReadOnly(
  place: DatabasePlace,
  streams: readonly Stream[],
): Promise<ReadOnlyDatabase> {
  refuseUnread(place.database)
  refuseOlder(place.database, streams)
  const connection = openConnection(place.database, { readonly: true })
  const db = kyselyOn(connection)
  const tables = tablesOf(db, refuseWrites())
  const givenOut = openGivenOut(place.database, { readonly: true })
  return {
    ...tables,
    givenOut,
    async timeZone(store) {
      const configured = place.stores.find(({ id }) => id === store)?.timeZone
      const known = (await tables.stores.find(store))?.timeZone
      const timeZone = known ?? configured
      if (timeZone === undefined) throw neverRead(store)
      if (configured !== undefined && !isSameZone(timeZone, configured, Date.now()))
        throw zoneDiffers(store, timeZone, configured)
      return timeZone
    },
    async zoneOfRows(store) {
      const configured = place.stores.find(({ id }) => id === store)?.timeZone
      return (await tables.stores.find(store))?.timeZone ?? configured ?? 'UTC'
    },
    freshness: async () => readFreshness(place.database),
    logBytes: async () => logBytesOf(place.database),
    changeNumber: async () => connection.pragma('data_version', { simple: true }) as number,
    async close() {
      await givenOut.close()
      await closeWithKysely(db, connection)
      closeInOrder(place.database)
    },
  }
}

const zoneDiffers = (store: string, known: string, configured: string): TillageError =>
  new TillageError(
    'STORE_ZONE',
    `tillage.yaml says that ${store} is in ${configured}, ` +
      `and its data was read with ${known}: its days would begin at another hour`,
    {
      remedy:
        `If ${known} is right, correct timeZone: in tillage.yaml. ` +
        `If ${configured} is: tillage store zone ${store} ${configured} --dry-run ` +
        'shows the consequences, and --by NAME --reason TEXT instead applies it.',
    },
  )

const neverRead = (store: string): TillageError =>
  new TillageError('NOT_PROVEN', `nothing was read of ${store} yet`, {
    remedy: `Read something first: tillage sync --store ${store} --from DAY --to DAY`,
  })
