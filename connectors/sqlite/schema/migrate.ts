import { existsSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Migration } from 'kysely/migration'
import { DatabaseError } from '../../../errors.ts'
import { BUSY_TIMEOUT_MS } from '../../destination/busy-timeout.ts'
import { sayStep, sayWaiting, stoppable } from '../../sql/migration.ts'
import type { Schema } from '../../sql/schema.ts'
import type { Stream } from '../../stream.ts'
import { movedPlace, openConnection, readDatabase } from '../connection/open-connection.ts'
import { closeWithKysely, kyselyOn } from '../connection/query-builder.ts'
import { inTransaction, stepsOn } from '../connection/sql-connection.ts'
import { asDatabaseError, isBusy } from '../connection/sqlite-errors.ts'
import { recordStaging } from '../rows/staged-rows.ts'
import { FIRST_STEP, migrations } from './migrations.ts'
import { refuseForeign } from './refuse-unread.ts'
import { lacksStamp, writeStamp } from './schema-stamp.ts'
import { missingWork } from './stream-tables.ts'
import type { ExistingSchema, Work } from './stream-tables.ts'

/**
 * Brings bookkeeping tables and stream tables up to date; refuses a database that a newer version
 * or another program has written. Of one that has rows already, each step is said on stderr, and a
 * signal ends the process at once: a step that was cut off has not happened.
 */
export async function migrate(path: string, streams: readonly Stream[]): Promise<void> {
  if (existsSync(path) && readDatabase(path, known => isUpToDate(known, streams))) return
  const connection = openConnection(path)
  const db = kyselyOn(connection)
  try {
    const pending = pendingSteps(connection, streams)
    if (pending.length > 0)
      await stoppable(() => bringUpToDate({ connection, db, streams, pending }))
    writeStamp(connection, streams)
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    await closeWithKysely(db, connection)
  }
}

/**
 * Whether nothing is to be done, as most commands find it: they change nothing of the file, and do
 * not wait for a large window's commit. Refuses what this version may not change.
 */
function isUpToDate(connection: Sqlite.Database, streams: readonly Stream[]): boolean {
  refuseForeign(connection)
  refuseUnknown(connection)
  return (
    movedPlace(connection) === undefined &&
    pendingSteps(connection, streams).length === 0 &&
    !lacksStamp(connection, streams)
  )
}

interface Upgrade {
  connection: Sqlite.Database
  db: Kysely<Schema>
  streams: readonly Stream[]
  /** What is missing: names of steps, and `TABLES`. */
  pending: readonly string[]
}

/** The one step that has no name in the database: it follows the declarations of the streams. */
const TABLES = 'tables of streams'

async function bringUpToDate(upgrade: Upgrade): Promise<void> {
  const { connection, streams, pending } = upgrade
  const say = narrator(upgrade)
  if (appliedMigrations(connection).length > 0) sayWhereAnotherWrites(connection)
  await migrateBookkeeping(upgrade, say)
  if (!pending.includes(TABLES)) return
  say(TABLES)
  const [run, staging] = [stepsOn(connection), recordStaging(connection)]
  const runAll = connection.transaction(() => {
    for (const work of missingTables(connection, streams))
      if (typeof work === 'string') connection.exec(work)
      else run(work(staging))
  })
  runAll.immediate()
}

/** SQLite waits without a word, and another program may be at the same upgrade for minutes. */
function sayWhereAnotherWrites(connection: Sqlite.Database): void {
  connection.pragma('busy_timeout = 0')
  try {
    connection.exec('BEGIN IMMEDIATE; ROLLBACK')
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    sayWaiting(connection.name)
  } finally {
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

/** A database into which nothing was read is brought up to date in a moment. */
function narrator({ connection, pending }: Upgrade): (step: string) => void {
  const isEmpty =
    appliedMigrations(connection).length === 0 ||
    connection.prepare('SELECT 1 FROM windows LIMIT 1').get() === undefined
  if (isEmpty) return () => {}
  return step => sayStep(connection.name, step, pending)
}

const missingTables = (connection: Sqlite.Database, streams: readonly Stream[]): Work[] => {
  const existing = readSchema(connection)
  return streams.flatMap(stream => missingWork(stream, existing))
}

function pendingSteps(connection: Sqlite.Database, streams: readonly Stream[]): string[] {
  const applied = appliedMigrations(connection)
  return [
    ...Object.keys(migrations).filter(name => !applied.includes(name)),
    ...(missingTables(connection, streams).length === 0 ? [] : [TABLES]),
  ]
}

/**
 * Fails with DATABASE_OLDER where a command that only reads would have to change the tables. No
 * database, or an empty one, is none of an earlier version.
 */
export function refuseOlder(path: string, streams: readonly Stream[]): void {
  if (existsSync(path)) readDatabase(path, connection => refuseOlderTables(connection, streams))
}

/** The same of a database that is open. */
export function refuseOlderTables(connection: Sqlite.Database, streams: readonly Stream[]): void {
  const path = connection.name
  refuseForeign(connection)
  refuseUnknown(connection)
  const pending = pendingSteps(connection, streams)
  if (pending.length === 0 || appliedMigrations(connection).length === 0) return
  throw new DatabaseError(
    'DATABASE_OLDER',
    `${path} was written by an earlier version of Tillage (it lacks ${pending.join(', ')}), ` +
      'and what only reads does not change it',
    {
      remedy:
        'Make a backup (tillage backup FILE), then run what writes: tillage sync, or restart ' +
        'tillage up. It brings the tables up to date first, and says how far it is.',
    },
  )
}

/**
 * All steps in one transaction of ours: Kysely lets each statement of a step commit by itself on
 * SQLite, and a start that is killed in between would leave half a step that no later start can get
 * past. Of several commands that start on a new database at once, one makes the tables and the
 * others wait for it.
 */
async function migrateBookkeeping(
  { connection, db }: Upgrade,
  say: (step: string) => void,
): Promise<void> {
  const applied = appliedMigrations(connection)
  if (Object.keys(migrations).every(name => applied.includes(name))) return
  await inTransaction(connection, async () => {
    if (applied.length > 0)
      connection.prepare('DELETE FROM kysely_migration WHERE name < ?').run(FIRST_STEP)
    const { error } = await new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve(narrated(say)) },
    }).migrateToLatest()
    if (error !== undefined) throw error
  })
}

/** The steps, each of which says when it begins. */
const narrated = (say: (step: string) => void): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => [
      name,
      {
        up(db) {
          say(name)
          return migration.up(db)
        },
      },
    ]),
  )

/** Names of the steps that a database has. */
export function appliedMigrations(connection: Sqlite.Database): string[] {
  const known =
    connection
      .prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'kysely_migration'")
      .pluck()
      .get() === 1
  return known
    ? (connection
        .prepare('SELECT name FROM kysely_migration ORDER BY name')
        .pluck()
        .all() as string[])
    : []
}

/** What is there now, looked up once: every command asks this of some thousand columns. */
function readSchema(connection: Sqlite.Database): ExistingSchema {
  const objects = connection
    .prepare<[], { name: string; sql: string | null }>('SELECT name, sql FROM sqlite_schema')
    .all()
  const statements = new Map(objects.map(({ name, sql }) => [name, sql ?? undefined]))
  const columns = new Map<string, ReadonlySet<string>>()
  return {
    sqlOf: name => statements.get(name),
    columns: table => {
      const known = columns.get(table) ?? readColumns(connection, table)
      columns.set(table, known)
      return known
    },
  }
}

function readColumns(connection: Sqlite.Database, table: string): ReadonlySet<string> {
  const found = connection.pragma(`table_info(${table})`) as { name: string }[]
  return new Set(found.map(({ name }) => name))
}

/**
 * Fails where this version cannot open a database: with DATABASE_NEWER where it has steps that are
 * not known here, with DATABASE_TOO_OLD where it was made before the first step was.
 */
export function refuseUnknown(connection: Sqlite.Database): void {
  const path = connection.name
  const applied = appliedMigrations(connection)
  const newer = applied.filter(name => name > FIRST_STEP && !(name in migrations))
  if (newer.length > 0)
    throw new DatabaseError(
      'DATABASE_NEWER',
      `${path} was written by a newer version of Tillage (it has ${newer.join(', ')}, ` +
        `this version knows ${Object.keys(migrations).length} steps)`,
      {
        remedy:
          'Update Tillage, or point database: in tillage.yaml to another file. ' +
          'The file was left as it is.',
      },
    )
  if (applied.length > 0 && !applied.includes(FIRST_STEP))
    throw new DatabaseError(
      'DATABASE_TOO_OLD',
      `${path} was written by a version of Tillage whose databases are no longer opened ` +
        `(it has ${applied.at(-1)}, and lacks ${FIRST_STEP})`,
      {
        remedy:
          'Move it to another place, with its -wal and -shm files, and read everything again: ' +
          'tillage sync --from yyyy-MM-dd. What it alone holds (plans, receipts, posted journals, ' +
          'closed months) is shown by the version that wrote it. The file was left as it is.',
      },
    )
}
