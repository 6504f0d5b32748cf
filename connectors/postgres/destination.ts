import { dirname } from 'node:path'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { makeFolder } from '../../disk.ts'
import type { Destination } from '../destination/destination.ts'
import type { PlacedDatabase } from '../destination/place.ts'
import type { Totals } from '../destination/totals.ts'
import type { Upkeep } from '../destination/upkeep.ts'
import type { Schema } from '../sql/schema.ts'
import { createTables } from '../sql/tables.ts'
import { countedTotals } from '../sql/totals.ts'
import type { Stream } from '../stream.ts'
import { openConnections } from './connection/connections.ts'
import { kyselyOn, statementsOn } from './connection/query-builder.ts'
import { DIALECT, createRows } from './rows/rows.ts'
import { migrate } from './schema/migrate.ts'
import { openHints } from './tables/hints.ts'
import { openKeyShares } from './tables/key-shares.ts'
import { purgeOn } from './upkeep/acts-by-hand.ts'
import { holdOpen } from './upkeep/exclusive.ts'
import type { HeldOpen } from './upkeep/exclusive.ts'
import { createWindows } from './window/window-writer.ts'

/** Opens the destination, creating or updating its tables first. */
export async function openDestination(
  { database, localFiles }: PlacedDatabase,
  streams: readonly Stream[],
): Promise<Destination> {
  makeFolder(dirname(localFiles))
  const connections = openConnections(database)
  let held: HeldOpen
  try {
    await migrate(connections, streams)
    held = await holdOpen(database)
  } catch (cause) {
    await connections.end()
    throw cause
  }
  const windows = createWindows(connections, streams, localFiles)
  const keyShares = openKeyShares(database)
  const hints = openHints(database)
  const place = { db: kyselyOn(connections), dialect: DIALECT }
  const purge: Upkeep['purge'] = order => purgeOn(connections, order, streams, { dryRun: false })
  return {
    database,
    localFiles,
    windows: windows.windows,
    rows: createRows(place, connections),
    ...createTables(place, { ...statementsOn(connections), ...windows, purge }),
    totals: createTotals(place.db),
    keyShares,
    hints,
    async close() {
      keyShares.close()
      await hints.close()
      windows.close()
      // Kysely ends the connections with itself.
      await place.db.destroy()
      await connections.end()
      await held.release()
    },
  }
}

const createTotals = (db: Kysely<Schema>): Totals => ({
  ...countedTotals(db),
  async bytes() {
    const { rows } = await sql<{ bytes: number }>`
      SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes
      FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`.execute(
      db,
    )
    return rows[0]!.bytes
  },
  // No server tells it to whom it serves.
  freeBytes: () => Promise.resolve(undefined),
})
