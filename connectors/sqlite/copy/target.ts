import { existsSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import type { CopyTarget, TakenRows, TargetOrder } from '../../copy/ends.ts'
import { COPYING, markCopying, markProgress, progressOf, refuseOther } from '../../copy/marks.ts'
import { quoteName as quote } from '../../quote.ts'
import type { Sql } from '../../sql/connection.ts'
import type { Stream } from '../../stream.ts'
import { openConnection } from '../connection/open-connection.ts'
import { inTransaction, statementsOn } from '../connection/sql-connection.ts'
import { migrate } from '../schema/migrate.ts'
import { giveNewIdentity, moveToNewName, refuseTaken } from '../upkeep/backup.ts'
import { kindsOf, readerOf } from './reader.ts'

/** A new file. Until it is whole it has another name, so that nothing else opens it. */
export async function openCopyTarget(
  path: string,
  streams: readonly Stream[],
  order: TargetOrder,
): Promise<CopyTarget> {
  refuseTaken(path)
  const draft = `${path}.copying`
  const isNew = !existsSync(draft)
  await migrate(draft, streams)
  const connection = openConnection(draft)
  const sql = statementsOn(connection)
  const close = async (): Promise<void> => {
    connection.close()
  }
  try {
    if (isNew || !hasMark(connection))
      await inTransaction(connection, () => markCopying(sql, order.from))
    else refuseOther(draft, await progressOf(sql), order)
  } catch (cause) {
    await close()
    throw cause
  }
  return {
    ...readerOf(connection, path),
    begun: () => progressOf(sql),
    take: taken => inTransaction(connection, () => take(connection, sql, taken)),
    setCounters: counters =>
      inTransaction(connection, async () => setCounters(connection, counters)),
    async finish({ newIdentity }) {
      await sql.run(`DROP TABLE ${COPYING}`)
      // One file, without a log beside it.
      connection.pragma('journal_mode = DELETE')
      connection.close()
      if (newIdentity) giveNewIdentity(draft)
      moveToNewName(draft, path)
    },
    close,
  }
}

const hasMark = (connection: Sqlite.Database): boolean =>
  connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(COPYING) !== undefined

async function take(
  connection: Sqlite.Database,
  sql: Sql,
  { table, columns, rows, last }: TakenRows,
): Promise<void> {
  const kinds = kindsOf(connection, table)
  const fractions = columns.map(name => kinds.get(name) === 'REAL')
  const insert = connection.prepare(
    `INSERT INTO ${quote(table)} (${columns.map(quote).join(', ')})
     VALUES (${columns.map(() => '?').join(', ')})`,
  )
  // A text that is a whole number becomes one by the type of its column.
  for (const row of rows)
    insert.run(row.map((cell, at) => (cell !== null && fractions[at] ? Number(cell) : cell)))
  await markProgress(sql, table, last)
}

/** Of the tables that SQLite numbers without giving a number twice. */
function setCounters(connection: Sqlite.Database, counters: ReadonlyMap<string, number>): void {
  const numbered = connection
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'")
    .pluck()
    .all()
  const forget = connection.prepare('DELETE FROM sqlite_sequence WHERE name = ?')
  const remember = connection.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
  for (const [name, number] of counters)
    if (numbered.includes(name)) {
      forget.run(name)
      remember.run(name, number)
    }
}
