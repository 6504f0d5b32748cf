import type Sqlite from 'better-sqlite3'

/** A record out of which something was taken is no new version of it. */
export function withoutTriggers(
  connection: Sqlite.Database,
  table: string,
  change: () => void,
): void {
  const triggers = connection
    .prepare<[string], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
    )
    .all(table)
  for (const { name } of triggers) connection.exec(`DROP TRIGGER "${name}"`)
  change()
  for (const { sql } of triggers) connection.exec(sql)
}
