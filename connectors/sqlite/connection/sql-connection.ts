import type Sqlite from 'better-sqlite3'
import pLimit from 'p-limit'
import type { Sql, SqlConnection } from '../../sql/connection.ts'
import { thenCommit } from './in-transaction.ts'
import { failFastWhenBusy, retryWhileBusy } from './retry-while-busy.ts'
import { asDatabaseError } from './sqlite-errors.ts'

/**
 * Statements on a connection of their own. What is written is on the disk when it resolves, also if
 * the power fails right after (INV-7, INV-9).
 */
export function sqlOn(connection: Sqlite.Database): SqlConnection {
  const path = connection.name
  if (!connection.readonly) failFastWhenBusy(connection).pragma('synchronous = FULL')
  // A transaction waits for its own statements; meanwhile nobody else's may get into it.
  const oneAtATime = pLimit(1)
  const statements = statementsOn(connection)
  const write = async <Answer>(work: (sql: Sql) => Promise<Answer>): Promise<Answer> => {
    await retryWhileBusy(path, () => connection.exec('BEGIN IMMEDIATE'))
    return thenCommit(connection, () => work(statements))
  }
  return {
    all: (sql, parameters) => oneAtATime(() => statements.all(sql, parameters)),
    run: (sql, parameters) => oneAtATime(() => write(inside => inside.run(sql, parameters))),
    lastAuditNumberSql: statements.lastAuditNumberSql,
    write: work => oneAtATime(() => write(work)),
    async close() {
      connection.close()
    },
  }
}

/** SQLite remembers it apart from the table. */
export const LAST_AUDIT_NUMBER = "SELECT seq FROM sqlite_sequence WHERE name = 'audit_log'"

export function statementsOn(connection: Sqlite.Database): Sql {
  const prepared = new Map<string, Sqlite.Statement>()
  const prepare = (sql: string): Sqlite.Statement => {
    const statement = prepared.get(sql) ?? connection.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  return {
    async all<Row extends object>(sql: string, parameters: object = {}): Promise<Row[]> {
      try {
        return prepare(sql).all(parameters) as Row[]
      } catch (cause) {
        throw asDatabaseError(connection.name, cause)
      }
    },
    run: async (sql, parameters = {}) => prepare(sql).run(parameters).changes,
    lastAuditNumberSql: LAST_AUDIT_NUMBER,
  }
}
