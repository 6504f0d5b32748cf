import type Sqlite from 'better-sqlite3'
import type { DatabasePlace, ReadOnlyDatabase, ReadOptions } from '../destination/read-only.ts'
import { givenOutOn } from '../sql/given-out.ts'
import { zonesOf } from '../sql/stores.ts'
import { refuseWrites } from '../sql/tables.ts'
import type { Stream } from '../stream.ts'
import { openConnection } from './connection/open-connection.ts'
import { closeWithKysely, kyselyOn } from './connection/query-builder.ts'
import { sqlOn } from './connection/sql-connection.ts'
import { asDatabaseError } from './connection/sqlite-errors.ts'
import { tablesOf } from './destination.ts'
import { refuseOlderTables } from './schema/migrate.ts'
import { refuseEmpty, refuseMissing } from './schema/refuse-unread.ts'
import { readFreshness } from './tables/hints.ts'
import { outboundStoreOn } from './tables/outbound.ts'
import { closeInOrder } from './upkeep/unclean-end.ts'
import { logBytesOf } from './writer/checkpoints.ts'

/**
 * Opens it as it is. Fails with NOT_PROVEN where nothing was read yet, and with DATABASE_OLDER
 * where its tables are not those of this version.
 */
export async function openReadOnly(
  place: DatabasePlace,
  streams: readonly Stream[],
  options: ReadOptions = {},
): Promise<ReadOnlyDatabase> {
  refuseMissing(place.database)
  const connection = openConnection(place.database, { readonly: true, ...options })
  refuseUnfit(connection, streams)
  const db = kyselyOn(connection)
  const tables = tablesOf(connection, db, refuseWrites())
  const asked = sqlOn(connection)
  const givenOut = givenOutOn(asked)
  return {
    ...tables,
    givenOut,
    outbound: outboundStoreOn(asked, place.database),
    ...zonesOf(tables.stores, place),
    freshness: () => readFreshness(place.database),
    logBytes: async () => logBytesOf(place.database),
    changeNumber: async () => connection.pragma('data_version', { simple: true }) as number,
    async close() {
      await givenOut.close()
      await closeWithKysely(db, connection)
      closeInOrder(place.database)
    },
  }
}

function refuseUnfit(connection: Sqlite.Database, streams: readonly Stream[]): void {
  try {
    refuseEmpty(connection)
    refuseOlderTables(connection, streams)
  } catch (cause) {
    connection.close()
    throw asDatabaseError(connection.name, cause)
  }
}
