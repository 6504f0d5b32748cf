import type { Kysely } from 'kysely'
import type { DeadLetters } from '../destination/dead-letters.ts'
import type { Destination, Identity } from '../destination/destination.ts'
import { createAttempts } from './attempts.ts'
import { createBehaviours } from './behaviours.ts'
import { createChecks } from './checks.ts'
import type { Statements } from './connection.ts'
import { createDeadLetters } from './dead-letters.ts'
import { createFindings } from './findings.ts'
import { createLedger } from './ledger.ts'
import { createLookUps } from './look-ups.ts'
import { createNotices } from './notices.ts'
import { createPrograms } from './programs.ts'
import { createBookedDays } from './rows/booked-days.ts'
import type { RowsPlace } from './rows/living-rows.ts'
import { createVersions } from './rows/rows.ts'
import { createRuns } from './runs.ts'
import { createSchedules } from './schedules.ts'
import type { Schema } from './schema.ts'
import { createHookAddresses, createStores } from './stores.ts'

/** The tables that a destination reads and keeps, nearly each in the file of its name. */
export type Tables = Omit<
  Destination,
  'database' | 'localFiles' | 'windows' | 'keyShares' | 'totals' | 'hints' | 'close'
>

/** How they are written. */
export type TablesWriter = Statements &
  Pick<DeadLetters, 'replay' | 'discard'> &
  Pick<Tables['upkeep'], 'purge'>

/** The same, with the tables of the streams. */
export type RowsWriter = TablesWriter & Pick<Tables['rows'], 'repair'>

/** For connections that only read: a write is a mistake of ours. */
export function refuseWrites(): RowsWriter {
  const refuse = (): never => {
    throw new Error('this connection only reads')
  }
  return {
    execute: refuse,
    executeAll: refuse,
    replay: refuse,
    discard: refuse,
    purge: refuse,
    repair: refuse,
  }
}

export const createTables = (place: RowsPlace, writer: TablesWriter): Omit<Tables, 'rows'> => ({
  identity: identityOf(place.db),
  ledger: createLedger(place.db),
  findings: createFindings(place.db, writer),
  behaviours: createBehaviours(place.db, writer),
  stores: createStores(place.db, writer),
  runs: createRuns(place.db, writer),
  attempts: createAttempts(place.db, writer),
  notices: createNotices(place.db, writer),
  programs: createPrograms(place.db, writer),
  schedules: createSchedules(place.db, writer),
  checks: createChecks(place.db, writer),
  deadLetters: createDeadLetters(place.db, writer),
  versions: createVersions(place),
  bookedDays: createBookedDays(place, writer),
  lookUps: createLookUps(place.db, writer),
  hookAddresses: createHookAddresses(place.db, writer),
  upkeep: { purge: writer.purge },
})

/** The table `database_identity`. */
const identityOf = (db: Kysely<Schema>): Identity => ({
  id: async () =>
    (await db.selectFrom('database_identity').select('id').executeTakeFirstOrThrow()).id,
})
