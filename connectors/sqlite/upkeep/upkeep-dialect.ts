import type Sqlite from 'better-sqlite3'
import { all, first, run } from '../../sql/steps.ts'
import type { Steps } from '../../sql/steps.ts'
import type { UpkeepDialect, Visit } from '../../sql/upkeep/upkeep-dialect.ts'
import { LAST_AUDIT_NUMBER } from '../connection/sql-connection.ts'
import { literal, quote } from '../connection/sql-text.ts'
import { recordStaging } from '../rows/staged-rows.ts'

/** On this connection, which gets a function of its own. */
export const createUpkeepDialect = (connection: Sqlite.Database): UpkeepDialect => ({
  lastAuditNumberSql: LAST_AUDIT_NUMBER,
  contains: (column, text) => `instr(${column}, ${text}) > 0`,
  fieldOf: (raw, field) =>
    `CASE WHEN json_valid(${raw}) THEN CAST(${raw} ->> ${literal(`$.${field}`)} AS TEXT) END`,
  *tablesWith(column) {
    const found = yield* all<{ name: string }>(
      `SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.name = @column ORDER BY t.name`,
      { column },
    )
    return found.map(({ name }) => name)
  },
  *textTables() {
    const found = yield* all<{ table: string; columns: string; ofStores: number }>(
      `SELECT t.name AS "table", group_concat(c.name, ' ') AS "columns",
         max(c.name = 'store_id') AS ofStores
       FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.type = 'TEXT' GROUP BY t.name ORDER BY t.name`,
    )
    return found.map(({ table, columns, ofStores }) => ({
      table,
      columns: columns.split(' '),
      ofStores: ofStores === 1,
    }))
  },
  replace: ({ table, column, value, where }, parameters) =>
    run(`UPDATE OR REPLACE ${quote(table)} SET ${column} = ${value} WHERE ${where}`, parameters),
  *inParts<Row extends object>(sql: string, parameters: object, visit: Visit<Row>) {
    yield* visit(yield* all<Row>(sql, parameters)) ?? []
  },
  withoutVersions,
  staging: recordStaging(connection),
  *countRows({ table, columns, where }, parameters, holds) {
    connection.function('holds_it', { deterministic: true }, text =>
      typeof text === 'string' && holds(text) ? 1 : 0,
    )
    const any = columns.map(column => `holds_it(${quote(column)})`).join(' OR ')
    const sql = `SELECT count(*) AS rows FROM ${quote(table)} WHERE ${where} AND (${any})`
    return (yield* first<{ rows: number }>(sql, parameters))!.rows
  },
})

function* withoutVersions(table: string, change: Steps<void>): Steps<void> {
  const triggers = yield* all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = @table",
    { table },
  )
  for (const { name } of triggers) yield* run(`DROP TRIGGER ${quote(name)}`)
  yield* change
  for (const { sql } of triggers) yield* run(sql)
}
