import type { CompiledQuery } from 'kysely'

/**
 * Statements that run as they are on every database that there is: names in double quotes where
 * capitals count, parameters as `@name`, texts compared by their bytes.
 */
export interface Sql {
  all<Row extends object>(sql: string, parameters?: object): Promise<Row[]>
  /** Answers how many rows it changed. */
  run(sql: string, parameters?: object): Promise<number>
  /** Asks for `seq`, the greatest number that the audit log ever had, whatever is in it now. */
  readonly lastAuditNumberSql: string
}

/**
 * One connection, for tables whose SQL is the same everywhere. It needs no query builder: an export
 * that ends within a second would spend a third of it on loading one.
 */
export interface SqlConnection extends Sql {
  /**
   * All of `work` is one transaction, on the disk when this resolves, and no other `write` of the
   * database happens meanwhile. It does nothing but run statements.
   */
  write<Answer>(work: (sql: Sql) => Promise<Answer>): Promise<Answer>
  close(): Promise<void>
}

/** The first row, where there is one. */
export async function firstOf<Row extends object>(
  sql: Sql,
  statement: string,
  parameters: object,
): Promise<Row | undefined> {
  const [row] = await sql.all<Row>(statement, parameters)
  return row
}

/** A compiled statement: a query of Kysely's holds more, which no thread could be sent. */
export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/** How the tables of bookkeeping are written; they are read through Kysely alone. */
export interface Statements {
  /** Runs one compiled statement; answers how many rows it changed. */
  execute(statement: Statement): Promise<number>
  /** Runs several statements in one transaction. */
  executeAll(statements: readonly Statement[]): Promise<void>
}
