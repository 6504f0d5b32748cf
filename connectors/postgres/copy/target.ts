import type { ClientBase } from 'pg'
import type { CopyTarget, TakenRows, TargetOrder } from '../../copy/ends.ts'
import {
  COPYING,
  markCopying,
  markProgress,
  notEmptyError,
  progressOf,
  refuseOther,
} from '../../copy/marks.ts'
import { quoteName as quote } from '../../quote.ts'
import type { Stream } from '../../stream.ts'
import { openConnections } from '../connection/connections.ts'
import type { Connections } from '../connection/connections.ts'
import { sqlOn, statementsOn } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { NEW_IDENTITY } from '../schema/bookkeeping.ts'
import { hasTable } from '../schema/existing-schema.ts'
import { migrate } from '../schema/migrate.ts'
import { copyInto } from '../window/copy-rows.ts'
import { encodeRows } from './encode-rows.ts'
import { readTables, readerOf } from './reader.ts'
import type { Tables } from './reader.ts'

/** A schema without rows, which is marked until it is whole. */
export async function openCopyTarget(
  address: string,
  streams: readonly Stream[],
  order: TargetOrder,
): Promise<CopyTarget> {
  const connections = openConnections(address, { most: 2 })
  try {
    await begin(connections, streams, order)
    return await targetOn(connections)
  } catch (cause) {
    await connections.end()
    throw cause
  }
}

async function begin(
  connections: Connections,
  streams: readonly Stream[],
  order: TargetOrder,
): Promise<void> {
  const { place } = connections
  const sql = sqlOn(connections)
  if (await hasTable(sql, COPYING)) return refuseOther(place, await progressOf(sql), order)
  await migrate(connections, streams)
  await inTransaction(connections, async client => {
    const filled = await filledTables(client)
    if (filled.length > 0) throw notEmptyError(place, filled)
    await markCopying(statementsOn(client), order.from)
  })
}

/** Every new database has an identity. */
async function filledTables(client: ClientBase): Promise<string[]> {
  const tables = [...(await readTables(client)).keys()].filter(name => name !== 'database_identity')
  const { rows } = await client.query<{ name: string }>(
    tables
      .map(name => `(SELECT '${name}' AS name FROM ${quote(name)} LIMIT 1)`)
      .join(' UNION ALL '),
  )
  return rows.map(({ name }) => name)
}

async function targetOn(connections: Connections): Promise<CopyTarget> {
  const client = await connections.connect()
  const tables = await readTables(client)
  const reader = readerOf(client, connections.place, tables)
  const sql = sqlOn(connections)
  const typesOf = ({ table, columns }: TakenRows): string[] =>
    columns.map(name => tables.get(table)!.find(({ column }) => column === name)!.type)
  return {
    ...reader,
    async *rows(question) {
      await client.query('BEGIN')
      yield* reader.rows(question)
      await client.query('COMMIT')
    },
    begun: () => progressOf(sql),
    take: taken =>
      inTransaction(connections, async inside => {
        // The counters are set after all rows, and wait for the disk.
        await inside.query('SET LOCAL synchronous_commit = off')
        const into = `${quote(taken.table)} (${taken.columns.map(quote).join(', ')})`
        await copyInto(inside, into, encodeRows(taken.rows, typesOf(taken)))
        await markProgress(statementsOn(inside), taken.table, taken.last)
      }),
    setCounters: counters =>
      inTransaction(connections, inside => setCounters(inside, tables, counters)),
    async finish({ newIdentity }) {
      await inTransaction(connections, async inside => {
        await inside.query(`DROP TABLE ${COPYING}`)
        if (newIdentity) for (const statement of NEW_IDENTITY) await inside.query(statement)
      })
      // Only these: a database may hold much that is others'.
      await client.query(`ANALYZE ${[...tables.keys()].map(quote).join(', ')}`)
    },
    async close() {
      client.release(true)
      await connections.end()
    },
  }
}

/** What is numbered next comes after all that was numbered, here or there. */
async function setCounters(
  client: ClientBase,
  tables: Tables,
  counters: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [table, columns] of tables)
    for (const { column, numbers } of columns.filter(one => one.numbers !== ''))
      await client.query(
        `SELECT setval(pg_get_serial_sequence($1, $2), greatest(last, 1), last > 0)
         FROM (SELECT greatest(max(${quote(column)}), $3::bigint) AS last FROM ${quote(table)}) n`,
        [table, column, numbers === 'd' ? (counters.get(table) ?? 0) : 0],
      )
  await client.query('UPDATE audit_log_last SET seq = $1', [counters.get('audit_log') ?? 0])
}
