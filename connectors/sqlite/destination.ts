import type { Kysely } from 'kysely'
import type { Destination } from '../destination/destination.ts'
import { createAttempts } from '../sql/attempts.ts'
import { createBehaviours } from '../sql/behaviours.ts'
import { createChecks } from '../sql/checks.ts'
import { createDeadLetters } from '../sql/dead-letters.ts'
import { createFindings } from '../sql/findings.ts'
import { createHookAddresses } from '../sql/hook-addresses.ts'
import { createIdentity } from '../sql/identity.ts'
import { createLedger } from '../sql/ledger.ts'
import { createLookUps } from '../sql/look-ups.ts'
import { createNotices } from '../sql/notices.ts'
import { createPrograms } from '../sql/programs.ts'
import { createRuns } from '../sql/runs.ts'
import { createSchedules } from '../sql/schedules.ts'
import type { Schema } from '../sql/schema.ts'
import { createStores } from '../sql/stores.ts'
import type { Stream } from '../stream.ts'
import { openConnection } from './connection/open-connection.ts'
import { closeWithKysely, kyselyOn } from './connection/query-builder.ts'
import { createVersions } from './rows/record-versions.ts'
import { createRows } from './rows/rows.ts'
import { migrate } from './schema/migrate.ts'
import { createBookedDays } from './tables/booked-days.ts'
import { openHints } from './tables/hints.ts'
import { openKeyShares } from './tables/key-shares.ts'
import { createTotals } from './tables/totals.ts'
import { openWriter } from './writer/writer.ts'
import type { Writer } from './writer/writer.ts'

/** The database that holds the rows, and its connection for what is only SQLite's. */
export interface SqliteDestination extends Destination, Pick<Writer, 'execute'> {
  readonly path: string
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
    location: path,
    path,
    db,
    windows: writer.windows,
    execute: writer.execute,
    ...createTables(db, writer),
    totals: createTotals(db, path),
    keyShares,
    hints,
    async close() {
      keyShares.close()
      hints.close()
      await closeWithKysely(db, connection)
      // Last of all: who closes last takes SQLite's log away, which a reader may not.
      await writer.close()
    },
  }
}

/** The tables that a destination reads and keeps, each in the file of its name. */
export type Tables = Omit<
  Destination,
  'location' | 'windows' | 'keyShares' | 'totals' | 'hints' | 'close'
>

export const createTables = (db: Kysely<Schema>, writer: Writer): Tables => ({
  identity: createIdentity(db),
  rows: createRows(db, writer),
  ledger: createLedger(db),
  findings: createFindings(db, writer),
  behaviours: createBehaviours(db, writer),
  stores: createStores(db, writer),
  runs: createRuns(db, writer),
  attempts: createAttempts(db, writer),
  notices: createNotices(db, writer),
  programs: createPrograms(db, writer),
  schedules: createSchedules(db, writer),
  checks: createChecks(db, writer),
  deadLetters: createDeadLetters(db, { replay: writer.replay, discard: writer.discardLetters }),
  versions: createVersions(db),
  bookedDays: createBookedDays(db, writer),
  lookUps: createLookUps(db, writer),
  hookAddresses: createHookAddresses(db, writer),
  upkeep: { purge: writer.purge },
})
