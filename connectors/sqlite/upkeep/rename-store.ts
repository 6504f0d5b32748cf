import type Sqlite from 'better-sqlite3'
import { UsageError } from '../../../errors.ts'
import { quote } from '../connection/sql-text.ts'

/** Texts that begin or end with a store's id, beside the columns `store_id`. */
const COMPOSED_IDS: readonly { table: string; column: string }[] = [
  { table: 'findings', column: 'id' },
  { table: 'schedules', column: 'schedule_id' },
  { table: 'push_files', column: 'schedule' },
]

/**
 * Gives all that the database knows of a store another id; inside a transaction. Answers how many
 * rows of how many tables. What was given out and what was sent to the API keep the id of their
 * day: they are evidence, with hashes over it.
 */
export function renameRows(
  connection: Sqlite.Database,
  from: string,
  to: string,
): { tables: number; rows: number } {
  refuseUnknown(connection, from)
  refuseTaken(connection, to)
  const changed = tablesOfStores(connection).map(
    table =>
      // Of the new id there are at most findings, schedules and runs that failed.
      connection
        .prepare(`UPDATE OR REPLACE ${quote(table)} SET store_id = ? WHERE store_id = ?`)
        .run(to, from).changes,
  )
  for (const { table, column } of COMPOSED_IDS)
    renameComposed(connection, { table, column }, from, to)
  return {
    tables: changed.filter(rows => rows > 0).length,
    rows: changed.reduce((sum, rows) => sum + rows, 0),
  }
}

/** Every table with a column `store_id`, as the database itself says. */
const tablesOfStores = (connection: Sqlite.Database): string[] =>
  connection
    .prepare<[], string>(
      `SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.name = 'store_id' ORDER BY t.name`,
    )
    .pluck()
    .all()

/** `downtown/batches/page_cap`, `nightly/downtown`. */
function renameComposed(
  connection: Sqlite.Database,
  { table, column }: { table: string; column: string },
  from: string,
  to: string,
): void {
  connection
    .prepare(
      `UPDATE OR REPLACE ${table} SET ${column} = @to || substr(${column}, length(@from) + 1)
       WHERE substr(${column}, 1, length(@from) + 1) = @from || '/'`,
    )
    .run({ from, to })
  connection
    .prepare(
      `UPDATE OR REPLACE ${table}
       SET ${column} = substr(${column}, 1, length(${column}) - length(@from)) || @to
       WHERE substr(${column}, -length(@from) - 1) = '/' || @from`,
    )
    .run({ from, to })
}

const stored = (connection: Sqlite.Database): string[] =>
  connection
    .prepare<[], string>('SELECT store_id FROM stores UNION SELECT store_id FROM windows')
    .pluck()
    .all()

function refuseUnknown(connection: Sqlite.Database, id: string): void {
  const known = stored(connection)
  if (known.includes(id)) return
  throw new UsageError(
    `there is no store ${id} in the database`,
    known.length === 0 ? 'Nothing was read yet.' : `There are: ${known.toSorted().join(', ')}.`,
  )
}

function refuseTaken(connection: Sqlite.Database, id: string): void {
  if (!stored(connection).includes(id)) return
  throw new UsageError(
    `${id} is in the database already, with a history of its own; two histories are never mixed`,
    'Choose an id that nobody has.',
  )
}
