import type { SqlConnection } from '../../sql/connection.ts'
import { openConnections } from './connections.ts'
import type { ConnectionOptions, Connections } from './connections.ts'
import { sqlOn } from './sql-connection.ts'

/** Connections for the time of one piece of work. */
export async function withConnections<Answer>(
  address: string,
  work: (connections: Connections) => Promise<Answer>,
  options: ConnectionOptions = { most: 1 },
): Promise<Answer> {
  const connections = openConnections(address, options)
  try {
    return await work(connections)
  } finally {
    await connections.end()
  }
}

/** The same for statements. */
export const withSql = <Answer>(
  address: string,
  work: (sql: SqlConnection) => Promise<Answer>,
  options: ConnectionOptions = { most: 1 },
): Promise<Answer> => withConnections(address, connections => work(sqlOn(connections)), options)
