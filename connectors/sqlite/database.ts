import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely, sql, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { DatabaseError } from '../../errors.ts'
import type { Stream } from '../stream.ts'
import { migrations } from './schema.ts'
import type { Schema } from './schema.ts'
import { missingStatements } from './tables.ts'
import type { ExistingSchema } from './tables.ts'
import { rowTable } from './views.ts'

/** Other commands may be writing a large window; they get this long before we give up. */
const BUSY_TIMEOUT_MS = 120_000

/**
 * Opens one connection with the pragmas that the measurements favour: 16 KB pages and a large WAL
 * make loads of JSON records a third faster; `synchronous=NORMAL` keeps a committed window through
 * a crash of the process.
 */
export function openConnection(
  path: string,
  options: { readonly?: boolean } = {},
): Sqlite.Database {
  try {
    if (options.readonly !== true) mkdirSync(dirname(path), { recursive: true })
    const connection = new Sqlite(path, {
      readonly: options.readonly ?? false,
      timeout: BUSY_TIMEOUT_MS,
    })
    if (options.readonly !== true) {
      connection.pragma('page_size = 16384')
      connection.pragma('journal_mode = WAL')
      connection.pragma('synchronous = NORMAL')
      connection.pragma('wal_autocheckpoint = 4000')
      connection.pragma('cache_size = -65536')
      // A window of a hundred thousand rows makes a long log; it shrinks again afterwards.
      connection.pragma('journal_size_limit = 67108864')
    }
    connection.prepare('SELECT count(*) FROM sqlite_schema').get()
    return connection
  } catch (cause) {
    throw asDatabaseError(path, cause)
  }
}

/** SQLite's own words, with what to do. */
export function asDatabaseError(path: string, cause: unknown): unknown {
  if (cause instanceof DatabaseError) return cause
  const code =
    cause instanceof Sqlite.SqliteError ? cause.code : ((cause as NodeJS.ErrnoException).code ?? '')
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return new DatabaseError(
      'DATABASE_FULL',
      `the disk that holds ${path} is full; nothing of this window was kept`,
      {
        cause,
        remedy: 'Free some space and run the same command again: it goes on where it stopped.',
      },
    )
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new DatabaseError(
      'DATABASE_BUSY',
      `another process has held ${path} for too long (${code}); nothing was written`,
      {
        cause,
        remedy:
          'Close the program that has it open for writing. A sync tries again by itself; any other command is run again.',
      },
    )
  }
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    return new DatabaseError(
      'DATABASE_BROKEN',
      `${path} is not a readable SQLite database (${code})`,
      {
        cause,
        remedy:
          'Move it away, or point database: in tillage.yaml to another file; everything in it can be fetched again.',
      },
    )
  }
  if (
    code.startsWith('SQLITE_CANTOPEN') ||
    code.startsWith('SQLITE_READONLY') ||
    code.startsWith('SQLITE_IOERR') ||
    ['EACCES', 'EROFS', 'ENOTDIR', 'EPERM', 'EISDIR', 'EEXIST'].includes(code)
  ) {
    return new DatabaseError('DATABASE_BROKEN', `${path} cannot be opened or written (${code})`, {
      cause,
      remedy: 'Check that the folder exists and may be written, and database: in tillage.yaml.',
    })
  }
  return cause
}

export const kyselyOn = (connection: Sqlite.Database): Kysely<Schema> =>
  new Kysely<Schema>({ dialect: new SqliteDialect({ database: connection }) })

/** How many rows of a stream the database holds for a store. */
export async function countRows(
  db: Kysely<Schema>,
  store: string,
  stream: string,
): Promise<number> {
  const counted = await sql<{
    count: number
  }>`SELECT count(*) AS count FROM ${sql.table(rowTable(stream))} WHERE store_id = ${store}`.execute(
    db,
  )
  return counted.rows[0]!.count
}

/** The newest record that is held of a stream. */
export async function newestIn(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
): Promise<number | undefined> {
  const found = await sql<{
    newest: number | null
  }>`SELECT max(${sql.ref(stream.cursor)}) AS newest FROM ${sql.table(rowTable(stream.name))} WHERE store_id = ${store}`.execute(
    db,
  )
  return found.rows[0]?.newest ?? undefined
}

/**
 * Brings bookkeeping tables and stream tables up to date; refuses a database that a newer version
 * has written.
 */
export async function migrate(path: string, streams: readonly Stream[]): Promise<void> {
  const connection = openConnection(path)
  const db = kyselyOn(connection)
  try {
    if (existsSync(path)) refuseNewer(path, connection)
    await migrateBookkeeping(connection, db)
    const missing = (): string[] =>
      streams.flatMap(stream => missingStatements(stream, existingSchema(connection)))
    // Looked at without a lock first: most commands find everything in place, and must not wait for
    // a large window's commit.
    if (missing().length > 0)
      connection
        .transaction(() => missing().forEach(statement => connection.exec(statement)))
        .immediate()
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    await db.destroy()
  }
}

/**
 * All steps in one transaction of ours: Kysely lets each statement of a step commit by itself on
 * SQLite, and a start that is killed in between would leave half a step that no later start can get
 * past. Of several commands that start on a new database at once, one makes the tables and the
 * others wait for it.
 */
async function migrateBookkeeping(connection: Sqlite.Database, db: Kysely<Schema>): Promise<void> {
  const applied = appliedMigrations(connection)
  if (Object.keys(migrations).every(name => applied.includes(name))) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    const { error } = await new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve(migrations) },
    }).migrateToLatest()
    if (error !== undefined) throw error
    connection.exec('COMMIT')
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK')
  }
}

function appliedMigrations(connection: Sqlite.Database): string[] {
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

const existingSchema = (connection: Sqlite.Database): ExistingSchema => ({
  columns: table =>
    new Set(
      (connection.pragma(`table_info(${table})`) as { name: string }[]).map(column => column.name),
    ),
  sqlOf: name =>
    connection
      .prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?')
      .pluck()
      .get(name),
})

function refuseNewer(path: string, connection: Sqlite.Database): void {
  const unknown = appliedMigrations(connection).filter(name => !(name in migrations))
  if (unknown.length > 0) {
    throw new DatabaseError(
      'DATABASE_NEWER',
      `${path} was written by a newer version of Tillage (it has ${unknown.join(', ')}, this version knows ${Object.keys(migrations).length} steps)`,
      {
        remedy:
          'Update Tillage, or point database: in tillage.yaml to another file. The file was left as it is.',
      },
    )
  }
}
