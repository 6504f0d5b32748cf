import type { CompiledQuery } from 'kysely'

/** A compiled statement: a query of Kysely's holds more, which no thread could be sent. */
export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/** How the tables of bookkeeping are written; they are read through Kysely alone. */
export interface Statements {
  /** Runs one compiled statement; answers how many rows it changed. */
  execute(statement: Statement): Promise<number>
  /** Runs several statements in one transaction. */
  executeAll(statements: readonly Statement[]): Promise<void>
}
