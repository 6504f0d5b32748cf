import Sqlite from 'better-sqlite3'
import { Migrator } from 'kysely/migration'
import type { Missing } from '../../sql/by-hand.ts'
import type { Stream } from '../../stream.ts'
import { readDatabase } from '../connection/open-connection.ts'
import { closeWithKysely, kyselyOn } from '../connection/query-builder.ts'
import { literal, rowTable } from '../connection/sql-text.ts'
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
  return readDatabase(path, connection => {
    const actual = new Map(readParts(connection).map(part => [part.name, part]))
    const isReadable = actual.has('readings') && actual.has('forgotten_members')
    const kept = isReadable ? streams.filter(({ name }) => actual.has(rowTable(name))) : []
    return {
      parts: expected.flatMap(part => comparePart(actual.get(part.name), part)),
      emptied: kept.flatMap(stream => findEmptied(connection, stream)),
    }
  })
}

/** A table, an index, a trigger or a view, as SQLite keeps it. */
interface Part {
  type: string
  name: string
  sql: string
  /** Of a table; types included. */
  columns: Map<string, string>
}

async function expectedSchema(
  applied: readonly string[],
  streams: readonly Stream[],
): Promise<Part[]> {
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
function readParts(connection: Sqlite.Database): Part[] {
  const parts = connection
    .prepare<[], Omit<Part, 'columns'>>(
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

/** What somebody has added beside is their own. */
function comparePart(found: Part | undefined, { type, name, sql, columns }: Part): string[] {
  if (found?.type !== type) return [`${type} ${name} is missing`]
  if (type === 'table') return [...columns].flatMap(column => compareColumn(found, column))
  return plain(found.sql) === plain(sql)
    ? []
    : [`${type} ${name} differs from the schema of this version`]
}

function compareColumn(
  { name: table, columns }: Part,
  [name, type]: readonly [name: string, type: string],
): string[] {
  const found = columns.get(name)
  if (found === undefined) return [`column ${name} of table ${table} is missing`]
  return found === type ? [] : [`column ${name} of table ${table} is ${found}, not ${type}`]
}

const plain = (sql: string): string => sql.replaceAll(/\s+/g, ' ').trim()

/** Deleted records stay as tombstones; only who asks to be forgotten leaves no row. */
const findEmptied = (connection: Sqlite.Database, { name }: Stream): Missing['emptied'] =>
  connection
    .prepare<[], { store: string; stream: string; stored: number }>(
      `SELECT store_id AS store, stream, sum(counts ->> 'inserted') AS stored
       FROM readings r
       WHERE stream = ${literal(name)}
         AND NOT EXISTS (SELECT 1 FROM ${rowTable(name)} t WHERE t.store_id = r.store_id)
         AND NOT EXISTS (SELECT 1 FROM forgotten_members f WHERE f.store_id = r.store_id)
       GROUP BY store_id HAVING stored > 0`,
    )
    .all()
