/**
 * Imported before the program (`node --import`), in every thread of it: writes down each commit to
 * its database, and at the one that `TILLAGE_CRASH` names ends the process as `kill -9` does, or
 * fills the disk.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Client } from 'pg'

export interface CrashOrder {
  /** One line for each commit of any thread. */
  log: string
  commit?: number
  /**
   * `full`: from this commit on the database may not grow by a page (SQLite's own `max_page_count`,
   * answered with SQLITE_FULL).
   */
  act?: 'die before' | 'die after' | 'full'
}

const order = JSON.parse(process.env['TILLAGE_CRASH'] ?? 'null') as CrashOrder | null

/**
 * A COMMIT, or a statement outside of any transaction. The table of staged pages is temporary:
 * nothing of it survives anyway.
 */
function commits(source: string, { name, inTransaction }: Database.Database): boolean {
  if (!name.endsWith('tillage.db')) return false
  return (
    /^commit/i.test(source) ||
    (!inTransaction &&
      !/^(begin|rollback|savepoint|release|pragma|select|create (temp|unique index temp))|\bstaged\b/i.test(
        source,
      ))
  )
}

function installCrash({ log, commit, act }: CrashOrder): void {
  function atCommit<Result>(
    source: string,
    database: Database.Database,
    run: () => Result,
  ): Result {
    if (!commits(source, database)) return run()
    appendFileSync(log, `${source.replaceAll(/\s+/g, ' ').slice(0, 60)}\n`)
    const due = commit !== undefined && readFileSync(log, 'utf8').split('\n').length - 1 >= commit
    if (due && act === 'die before') process.kill(process.pid, 'SIGKILL')
    const result = run()
    if (due && act === 'die after') process.kill(process.pid, 'SIGKILL')
    if (due && act === 'full')
      database.pragma(
        `max_page_count = ${database.pragma('page_count', { simple: true }) as number}`,
      )
    return result
  }
  const probe = new Database(':memory:')
  const statements = Object.getPrototypeOf(probe.prepare('BEGIN')) as {
    run(this: Database.Statement, ...parameters: unknown[]): Database.RunResult
  }
  const databases = Database.prototype as {
    exec(this: Database.Database, source: string): Database.Database
  }
  probe.close()
  const { run } = statements
  const { exec } = databases
  statements.run = function (...parameters) {
    return atCommit(this.source, this.database, () => run.apply(this, parameters))
  }
  databases.exec = function (source) {
    return atCommit(source, this, () => exec.call(this, source))
  }
}

/** The same for what is sent to a server of PostgreSQL, which commits with the word alone. */
function installCrashOnServer({ log, commit, act }: CrashOrder): void {
  const client = Client.prototype as { query(this: Client, ...asked: unknown[]): unknown }
  const { query } = client
  client.query = function (...asked) {
    if (asked[0] !== 'COMMIT') return query.apply(this, asked)
    appendFileSync(log, 'COMMIT\n')
    const due = commit !== undefined && readFileSync(log, 'utf8').split('\n').length - 1 >= commit
    if (due && act === 'die before') process.kill(process.pid, 'SIGKILL')
    const answer = query.apply(this, asked) as Promise<unknown>
    return due && act === 'die after'
      ? answer.finally(() => process.kill(process.pid, 'SIGKILL'))
      : answer
  }
}

if (order !== null) {
  installCrash(order)
  installCrashOnServer(order)
}
