import type { ClientBase } from 'pg'
import { quoteName as quote } from '../../quote.ts'
import { all, run } from '../../sql/steps.ts'
import type { Steps } from '../../sql/steps.ts'
import type { Replacement, UpkeepDialect } from '../../sql/upkeep/upkeep-dialect.ts'
import { inParts } from '../connection/in-parts.ts'
import { LAST_AUDIT_NUMBER } from '../connection/sql-connection.ts'
import { DIALECT } from '../rows/rows.ts'
import { WITHOUT_VERSIONS } from '../schema/bookkeeping.ts'
import { recordStaging } from '../window/staged-records.ts'

/** Inside a transaction on this connection. */
export const createUpkeepDialect = (client: ClientBase): UpkeepDialect => ({
  lastAuditNumberSql: LAST_AUDIT_NUMBER,
  contains: (column, text) => `strpos(CAST(${column} AS text), ${text}) > 0`,
  fieldOf: DIALECT.fieldOf,
  *tablesWith(column) {
    const found = yield* all<{ name: string }>(
      `SELECT relname AS name FROM ${COLUMNS} WHERE attname = @column ORDER BY relname`,
      { column },
    )
    return found.map(({ name }) => name)
  },
  textTables: () =>
    all(
      `SELECT relname AS "table",
         array_agg(CAST(attname AS text) ORDER BY attnum)
           FILTER (WHERE atttypid IN ('text'::regtype, 'json'::regtype)) AS columns,
         bool_or(attname = 'store_id') AS "ofStores"
       FROM ${COLUMNS} GROUP BY relname
       HAVING bool_or(atttypid IN ('text'::regtype, 'json'::regtype)) ORDER BY relname`,
    ),
  *replace(replacement, parameters) {
    const { table, column, value, where } = replacement
    yield* removeTaken(replacement, parameters)
    return yield* run(`UPDATE ${quote(table)} SET ${column} = ${value} WHERE ${where}`, parameters)
  },
  inParts,
  *withoutVersions(_, change) {
    yield* run(`SET LOCAL ${WITHOUT_VERSIONS} = on`)
    yield* change
    yield* run(`SET LOCAL ${WITHOUT_VERSIONS} = off`)
  },
  staging: recordStaging(client),
  *countRows({ table, columns, where }, parameters, holds) {
    let count = 0
    const texts = columns.map(column => `CAST(${quote(column)} AS text) AS ${quote(column)}`)
    const sql = `SELECT ${texts.join(', ')} FROM ${quote(table)} WHERE ${where}`
    yield* inParts<Record<string, string | null>>(sql, parameters, rows => {
      const isHeld = (text: string | null): boolean => text !== null && holds(text)
      count += rows.filter(row => Object.values(row).some(isHeld)).length
      return undefined
    })
    return count
  },
})

/** Columns of the tables of the schema. */
const COLUMNS = `pg_class JOIN pg_attribute
  ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    AND relnamespace = current_schema()::regnamespace AND relkind = 'r'`

/** Of each key with this column: rows that have what the changed ones are about to have. */
function* removeTaken(
  { table, column, value, where }: Replacement,
  parameters: object,
): Steps<void> {
  const keys = yield* all<{ columns: string[] }>(KEYS, { table, column })
  for (const { columns } of keys) {
    const others = columns.filter(name => name !== column).map(quote)
    const isSame = others.map(name => `AND taken.${name} = moved.${name}`).join(' ')
    yield* run(
      `DELETE FROM ${quote(table)} AS taken USING (
         SELECT ${['ctid AS place', ...others].join(', ')}, ${value} AS becomes
         FROM ${quote(table)} WHERE ${where}
       ) AS moved
       WHERE taken.${quote(column)} = moved.becomes ${isSame} AND taken.ctid <> moved.place`,
      parameters,
    )
  }
}

/** Columns of each unique index that the column is in. */
const KEYS = `
  SELECT array_agg(CAST(attname AS text)) AS columns
  FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
  WHERE indrelid = CAST(quote_ident(@table) AS regclass) AND indisunique
  GROUP BY indexrelid HAVING bool_or(attname = @column)`
