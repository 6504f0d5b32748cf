import Sqlite from 'better-sqlite3'
import { Migrator } from 'kysely/migration'
import type { Missing } from '../../sql/by-hand.ts'
import { missingIn } from '../../sql/upkeep/missing-parts.ts'
import type { SchemaPart } from '../../sql/upkeep/missing-parts.ts'
import type { Stream } from '../../stream.ts'
import { readDatabase } from '../connection/open-connection.ts'
import { closeWithKysely, kyselyOn } from '../connection/query-builder.ts'
import { stepsOn } from '../connection/sql-connection.ts'
import { appliedMigrations } from '../schema/migrate.ts'
import { migrations } from '../schema/migrations.ts'
import { hasStamp } from '../schema/schema-stamp.ts'
import { allStatements } from '../schema/stream-tables.ts'

/**
 * Compares the schema with what the migrations make, and the tables with what the readings say that
 * they brought. Ask before the database is migrated: that would make anew what is missing, empty. A
 * database that another version has written is compared by the steps that it has.
 */
export async function readMissing(path: string, streams: readonly Stream[]): Promise<Missing> {
  const [applied, isOurs] = readDatabase(path, connection => [
    appliedMigrations(connection),
    hasStamp(connection, streams),
  ])
  const expected = await expectedSchema(applied, isOurs ? streams : [])
  return readDatabase(path, connection =>
    stepsOn(connection)(missingIn({ actual: readParts(connection), expected }, streams)),
  )
}

async function expectedSchema(
  applied: readonly string[],
  streams: readonly Stream[],
): Promise<SchemaPart[]> {
  const connection = new Sqlite(':memory:')
  const db = kyselyOn(connection)
  try {
    const steps = Object.fromEntries(
      Object.entries(migrations).filter(([name]) => applied.includes(name)),
    )
    const { error } = await new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve(steps) },
    }).migrateToLatest()
    if (error !== undefined) throw error
    for (const statement of streams.flatMap(allStatements)) connection.exec(statement)
    return readParts(connection)
  } finally {
    await closeWithKysely(db, connection)
  }
}

/** All but what SQLite makes by itself. */
function readParts(connection: Sqlite.Database): SchemaPart[] {
  const parts = connection
    .prepare<[], Omit<SchemaPart, 'columns'>>(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`,
    )
    .all()
  const columns = connection.prepare<[string], { name: string; type: string }>(
    'SELECT name, type FROM pragma_table_info(?)',
  )
  return parts.map(part => ({
    ...part,
    columns: new Map(
      part.type === 'table' ? columns.all(part.name).map(({ name, type }) => [name, type]) : [],
    ),
  }))
}
