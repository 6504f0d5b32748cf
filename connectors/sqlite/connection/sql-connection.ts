import { setTimeout as pause } from 'node:timers/promises'
import type Sqlite from 'better-sqlite3'
import pLimit from 'p-limit'
import { codeOf } from '../../../disk.ts'
import { DatabaseError } from '../../../errors.ts'
import { BUSY_TIMEOUT_MS } from '../../destination/busy-timeout.ts'
import type { Sql, SqlConnection } from '../../sql/connection.ts'
import type { OtherWork, Step, StepAnswer, Steps } from '../../sql/steps.ts'
import { asDatabaseError, isBusy } from './sqlite-errors.ts'

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

const RETRY_EVERY_MS = 50

/** For a connection that writes on the main thread: SQLite's own waiting would hold it up. */
function failFastWhenBusy(connection: Sqlite.Database): Sqlite.Database {
  connection.pragma('busy_timeout = 0')
  return connection
}

/**
 * Writes, and waits while another connection does, without holding up this thread; for a connection
 * that is `failFastWhenBusy`. Fails as the database's errors do.
 */
async function retryWhileBusy<Answer>(path: string, action: () => Answer): Promise<Answer> {
  const untilMs = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return action()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > untilMs) throw asDatabaseError(path, cause)
      await pause(RETRY_EVERY_MS)
    }
  }
}

/** Runs statements on this connection at once; each is compiled once. */
export function stepsOn(connection: Sqlite.Database): <Answer>(steps: Steps<Answer>) => Answer {
  const prepared = new Map<string, Sqlite.Statement>()
  const answer = (step: Step | OtherWork): StepAnswer => {
    if (typeof step === 'function') throw new TypeError('SQLite is asked nothing but statements')
    const { sql, parameters, wants } = step
    const statement = prepared.get(sql) ?? connection.prepare(sql)
    prepared.set(sql, statement)
    return wants === 'rows'
      ? (statement.all(parameters) as object[])
      : statement.run(parameters).changes
  }
  return steps => {
    let step = steps.next()
    while (step.done !== true) step = steps.next(answer(step.value))
    return step.value
  }
}

/** The steps as one transaction, which sees one moment; what fails is an error of the database. */
export function atOnce<Answer>(connection: Sqlite.Database, steps: Steps<Answer>): Answer {
  try {
    return connection.transaction(() => stepsOn(connection)(steps))()
  } catch (cause) {
    throw asDatabaseError(connection.name, cause)
  }
}

/**
 * All of `work` or nothing of it, where it is waited for: the library's own transactions take only
 * what ends at once.
 */
export async function inTransaction<Answer>(
  connection: Sqlite.Database,
  work: () => Promise<Answer>,
): Promise<Answer> {
  connection.exec('BEGIN IMMEDIATE')
  return thenCommit(connection, work)
}

/** The same in a transaction that was begun. */
export async function thenCommit<Answer>(
  connection: Sqlite.Database,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await work()
    connection.exec('COMMIT')
    return answer
  } catch (cause) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw asDatabaseError(connection.name, cause)
  }
}

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/

/**
 * Does something with scratch files that are attached under these names. Where one of them is
 * damaged, SCRATCH_BROKEN says so: SQLite names no file, and the database would get the blame.
 */
export function withScratch<Answer>(
  connection: Sqlite.Database,
  names: readonly string[],
  work: () => Answer,
): Answer {
  try {
    return work()
  } catch (cause) {
    const code = codeOf(cause)
    if (!DAMAGE.test(code) || names.every(name => isSound(connection, name))) throw cause
    throw new DatabaseError(
      'SCRATCH_BROKEN',
      `a scratch file beside ${connection.name} cannot be read back (${code}); ` +
        'the database itself was left as it is',
      {
        cause,
        remedy:
          'Run the same command again: the file is made anew. If it happens again, look at the ' +
          'disk that holds it; it is no reason to restore a backup.',
      },
    )
  }
}

function isSound(connection: Sqlite.Database, name: string): boolean {
  try {
    return connection.pragma(`${name}.integrity_check(1)`, { simple: true }) === 'ok'
  } catch {
    return false
  }
}
