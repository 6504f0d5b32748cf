import type Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import type { SqliteDatabase } from 'kysely'
import type { Schema } from '../../sql/schema.ts'
import { asDatabaseError } from './sqlite-errors.ts'

/**
 * Kysely on a connection. Apart from `openConnection`: the thread that writes needs none of it, and
 * to load it takes longer than anything else there.
 */
export const kyselyOn = (connection: Sqlite.Database): Kysely<Schema> =>
  new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: { close: () => connection.close(), prepare: keepStatements(connection) },
    }),
  })

/** Closes both: Kysely closes only what it has used, and what stays open is in others' way. */
export async function closeWithKysely(
  db: Kysely<Schema>,
  connection: Sqlite.Database,
): Promise<void> {
  await db.destroy()
  connection.close()
}

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
