import type { RecordStaging } from '../rows/kept-records.ts'
import type { Steps } from '../steps.ts'

/** A column that gets another value, in SQL, in rows that `where` says. */
export interface Replacement {
  table: string
  column: string
  value: string
  where: string
}

/** A table with texts, whatever it is for. */
export interface TextTable {
  table: string
  columns: readonly string[]
  /** It says of which store a row is. */
  ofStores: boolean
}

/** What happens with some rows of a query. */
export type Visit<Row> = (rows: readonly Row[]) => Steps<void> | undefined

/** Where databases differ in what somebody does with them by hand. */
export interface UpkeepDialect {
  /** As `Sql.lastAuditNumberSql`. */
  lastAuditNumberSql: string
  /** Whether a text is in the value of a column. */
  contains(column: string, text: string): string
  /** A field of a record, as a text; null where the record is no JSON. */
  fieldOf(raw: string, field: string): string
  /** Names of the tables with such a column, in their order. */
  tablesWith(column: string): Steps<string[]>
  textTables(): Steps<TextTable[]>
  /** Answers how many rows it changed; a row whose key one of them takes goes. */
  replace(replacement: Replacement, parameters: object): Steps<number>
  /** The rows of a query, some at a time: not all need fit the memory. */
  inParts<Row extends object>(sql: string, parameters: object, visit: Visit<Row>): Steps<void>
  /** A record out of which something was taken is no new version of it. */
  withoutVersions(table: string, change: Steps<void>): Steps<void>
  staging: RecordStaging
  /** How many rows of a table that `where` says hold such a text in one of these columns. */
  countRows(
    from: { table: string; columns: readonly string[]; where: string },
    parameters: object,
    holds: (text: string) => boolean,
  ): Steps<number>
}
