import { dirname } from 'node:path'
import { sql } from 'kysely'
import { makeFolder } from '../../disk.ts'
import type { DatabasePlace, ReadOnlyDatabase } from '../destination/read-only.ts'
import { givenOutOn } from '../sql/given-out.ts'
import { freshnessIn } from '../sql/hints.ts'
import { zonesOf } from '../sql/stores.ts'
import { createTables, refuseWrites } from '../sql/tables.ts'
import type { Stream } from '../stream.ts'
import { openConnections } from './connection/connections.ts'
import { kyselyOn } from './connection/query-builder.ts'
import { sqlOn } from './connection/sql-connection.ts'
import { DIALECT, createRows } from './rows/rows.ts'
import { refuseOlder } from './schema/migrate.ts'
import { refuseUnread } from './schema/refuse-unread.ts'
import { outboundStoreOn } from './tables/outbound.ts'

/** Opens it as it is; fails as `DatabaseKind.openReadOnly` says. */
export async function openReadOnly(
  place: DatabasePlace,
  streams: readonly Stream[],
): Promise<ReadOnlyDatabase> {
  makeFolder(dirname(place.localFiles))
  const connections = openConnections(place.database, { readonly: true })
  const asked = sqlOn(connections)
  try {
    await refuseUnread(asked, connections.place)
    await refuseOlder(asked, connections.place, streams)
  } catch (cause) {
    await connections.end()
    throw cause
  }
  const db = kyselyOn(connections)
  const rowsPlace = { db, dialect: DIALECT }
  const tables = createTables(rowsPlace, refuseWrites())
  return {
    ...tables,
    rows: createRows(rowsPlace, connections),
    givenOut: givenOutOn(asked),
    outbound: outboundStoreOn(asked, asked),
    ...zonesOf(tables.stores, place),
    freshness: () => freshnessIn(asked),
    // Nothing waits on this machine.
    logBytes: () => Promise.resolve(0),
    async changeNumber() {
      // Only what writes gets a number; also what others write on the same server.
      const { rows } = await sql<{ number: string }>`
        SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS number`.execute(db)
      return Number(rows[0]!.number)
    },
    async close() {
      await db.destroy()
      await connections.end()
    },
  }
}
