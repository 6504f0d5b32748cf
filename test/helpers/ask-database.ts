import Database from 'better-sqlite3'
import { openConnections } from '../../connectors/postgres/connection/connections.ts'
import { isServerAddress } from '../../connectors/server-address.ts'

/**
 * The rows of a question as lists, from a database of either kind; `INSTANT(ms)` in it is an
 * instant as the views show it.
 */
export async function askDatabase(database: string, sql: string): Promise<unknown[][]> {
  if (!isServerAddress(database)) return askFile(database, sql.replaceAll('INSTANT', ''))
  const connections = openConnections(database, { most: 1, readonly: true })
  try {
    const client = await connections.connect()
    const text = sql.replaceAll(/INSTANT\((\d+)\)/g, 'to_timestamp($1 / 1000.0)')
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' })
    client.release()
    return rows
  } finally {
    await connections.end()
  }
}

function askFile(path: string, sql: string): unknown[][] {
  const database = new Database(path, { readonly: true })
  try {
    return database.prepare(sql).raw().all() as unknown[][]
  } finally {
    database.close()
  }
}
