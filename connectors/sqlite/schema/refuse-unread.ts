import { existsSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import { DatabaseError, TillageError } from '../../../errors.ts'
import { readDatabase } from '../connection/open-connection.ts'

/**
 * Fails with NOT_PROVEN where there is no database, or one without any table: a disk that lost it,
 * or a file that somebody made, is no day without sales (INV-4). The file stays as it is.
 */
export function refuseUnread(path: string): void {
  refuseMissing(path)
  readDatabase(path, refuseEmpty)
}

export function refuseMissing(path: string): void {
  if (!existsSync(path))
    throw new TillageError('NOT_PROVEN', `nothing was read yet: there is no database at ${path}`, {
      remedy: 'Read something first: tillage sync --from yyyy-MM-dd --to yyyy-MM-dd',
    })
}

export function refuseEmpty(connection: Sqlite.Database): void {
  if (tablesOf(connection).length === 0)
    throw new TillageError(
      'NOT_PROVEN',
      `nothing was read yet: the database ${connection.name} is empty`,
      {
        remedy:
          'If something was read before, it is lost here: put a backup in its place ' +
          '(tillage restore FILE --replace). Else read something: tillage sync',
      },
    )
}

/** Fails with DATABASE_BROKEN where it holds tables and none of ours; it stays as it is. */
export function refuseForeign(connection: Sqlite.Database): void {
  const tables = tablesOf(connection)
  if (tables.length > 0 && !tables.includes(OURS))
    throw new DatabaseError(
      'DATABASE_BROKEN',
      `${connection.name} is a database, but none of Tillage: ` +
        `it holds ${tables.slice(0, 3).join(', ')}`,
      { remedy: 'Point database: in tillage.yaml to another file. This one was left as it is.' },
    )
}

/** The first table of each database of ours, which comes in one transaction with all others. */
const OURS = 'kysely_migration'

const tablesOf = (connection: Sqlite.Database): string[] =>
  connection
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
