import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type Sqlite from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { leftOnDisk } from '../../disk.ts'
import type { Destination } from '../destination/destination.ts'
import type { Totals } from '../destination/totals.ts'
import { openKeyShares } from '../local/key-shares.ts'
import type { Schema } from '../sql/schema.ts'
import { createTables } from '../sql/tables.ts'
import type { RowsWriter, Tables } from '../sql/tables.ts'
import { countedTotals } from '../sql/totals.ts'
import type { Stream } from '../stream.ts'
import { openConnection } from './connection/open-connection.ts'
import { closeWithKysely, kyselyOn } from './connection/query-builder.ts'
import { DIALECT, createRows } from './rows/rows.ts'
import { migrate } from './schema/migrate.ts'
import { openHints } from './tables/hints.ts'
import { logBytesOf } from './writer/checkpoints.ts'
import { openWriter } from './writer/writer.ts'
import type { Writer } from './writer/writer.ts'

/** The database that holds the rows, and its connection for what is only SQLite's. */
export interface SqliteDestination extends Destination, Pick<Writer, 'execute'> {
  readonly db: Kysely<Schema>
}

/**
 * Opens the destination, creating or updating its tables first. Reads go through Kysely on this
 * thread, every write through the writing thread.
 */
export async function openDestination(
  path: string,
  streams: readonly Stream[],
): Promise<SqliteDestination> {
  await migrate(path, streams)
  const connection = openConnection(path, { readonly: true })
  const db = kyselyOn(connection)
  const writer = openWriter(path, streams)
  const keyShares = openKeyShares(path)
  const hints = openHints(path)
  return {
    database: path,
    localFiles: path,
    db,
    windows: writer.windows,
    execute: writer.execute,
    ...tablesOf(connection, db, writer),
    totals: createTotals(db, path),
    keyShares,
    hints,
    async close() {
      keyShares.close()
      await hints.close()
      await closeWithKysely(db, connection)
      // Last of all: who closes last takes SQLite's log away, which a reader may not.
      await writer.close()
    },
  }
}

/** What commands that only read see, too. */
export function tablesOf(
  connection: Sqlite.Database,
  db: Kysely<Schema>,
  writer: RowsWriter,
): Tables {
  const place = { db, dialect: DIALECT }
  return { ...createTables(place, writer), rows: createRows(place, connection, writer) }
}

const createTotals = (db: Kysely<Schema>, path: string): Totals => ({
  ...countedTotals(db),
  bytes: async () => statSync(path).size + logBytesOf(path),
  freeBytes: async () => leftOnDisk(dirname(path)),
})
