import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import type { SqliteDatabase } from 'kysely'
import type { Schema } from './schema.ts'
import { asDatabaseError } from './sqlite-errors.ts'

/** Other commands may be writing a large window; they get this long before we give up. */
const BUSY_TIMEOUT_MS = 120_000

/**
 * Opens one connection with the pragmas that the measurements favour: 16 KB pages and a large WAL
 * make loads of JSON records a third faster; `synchronous=NORMAL` keeps a committed window through
 * a crash of the process.
 */
export function openConnection(
  path: string,
  options: { readonly?: boolean } = {},
): Sqlite.Database {
  try {
    if (options.readonly !== true) mkdirSync(dirname(path), { recursive: true })
    const connection = new Sqlite(path, {
      readonly: options.readonly ?? false,
      timeout: BUSY_TIMEOUT_MS,
    })
    if (options.readonly !== true) {
      connection.pragma('page_size = 16384')
      connection.pragma('journal_mode = WAL')
      connection.pragma('synchronous = NORMAL')
      // What is replaced or removed stays in no freed page; loads cost the same (measured).
      connection.pragma('secure_delete = ON')
      connection.pragma('wal_autocheckpoint = 4000')
      connection.pragma('cache_size = -32768')
      // A window of a hundred thousand rows makes a long log; it is cut back afterwards.
      connection.pragma('journal_size_limit = 67108864')
    }
    connection.prepare('SELECT count(*) FROM sqlite_schema').get()
    return connection
  } catch (cause) {
    throw asDatabaseError(path, cause)
  }
}

export const kyselyOn = (connection: Sqlite.Database): Kysely<Schema> =>
  new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: { close: () => connection.close(), prepare: keepStatements(connection) },
    }),
  })

/** How many statements a connection keeps: more than any of our processes uses again and again. */
const STATEMENTS_KEPT = 100

/**
 * Kysely prepares each query anew. To compare rows with records takes 40 KB of SQL, whose
 * compilation costs more than running it on one record.
 */
function keepStatements(connection: Sqlite.Database): (sql: string) => KyselyStatement {
  const kept = new Map<string, Sqlite.Statement>()
  return sql => {
    const known = kept.get(sql)
    kept.delete(sql)
    // One that is being iterated cannot be run a second time meanwhile.
    const statement =
      known === undefined || known.busy
        ? explained(connection, () => connection.prepare(sql))
        : known
    kept.set(sql, statement)
    const [oldest] = kept.keys()
    if (kept.size > STATEMENTS_KEPT) kept.delete(oldest!)
    const run = <Answer>(work: () => Answer): Answer => explained(connection, work)
    return {
      reader: statement.reader,
      all: parameters => run(() => statement.all(parameters)),
      run: parameters => run(() => statement.run(parameters)),
      iterate: parameters => run(() => statement.iterate(parameters)),
    }
  }
}

/** What Kysely uses of a statement. */
type KyselyStatement = ReturnType<SqliteDatabase['prepare']>

/** A page that cannot be read, or a full disk, is told as such whoever asked. */
function explained<Answer>(connection: Sqlite.Database, work: () => Answer): Answer {
  try {
    return work()
  } catch (cause) {
    throw asDatabaseError(connection.name, cause)
  }
}
