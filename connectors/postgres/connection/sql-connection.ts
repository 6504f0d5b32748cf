import pLimit from 'p-limit'
import type { ClientBase, QueryResult } from 'pg'
import type { Sql, SqlConnection } from '../../sql/connection.ts'
import type { ConnectionOptions, Connections } from './connections.ts'
import { openConnections } from './connections.ts'
import { inTurn } from './in-turn.ts'

/** Statements on connections that are closed with them; what writes waits for its turn. */
export const sqlOn = (connections: Connections, turn?: string): SqlConnection => ({
  ...sqlBy(async query => {
    const client = await connections.connect()
    try {
      return await client.query(query)
    } finally {
      client.release()
    }
  }),
  // One after the other, as `SqlConnection.write` says: each waits for the one before it.
  write: work => inTurn(connections, client => work(statementsOn(client)), turn),
  close: () => connections.end(),
})

/** Inside a transaction. */
export const statementsOn = (client: ClientBase): Sql => sqlBy(query => client.query(query))

/** Beside others on the same connection. */
export const statementsInOrder = (inOrder: InOrder): Sql =>
  sqlBy(query => inOrder(client => client.query(query)))

export const LAST_AUDIT_NUMBER = 'SELECT seq FROM audit_log_last'

interface Query {
  text: string
  values: unknown[]
}

function sqlBy(ask: (query: Query) => Promise<QueryResult>): Sql {
  return {
    all: async <Row extends object>(sql: string, parameters: object = {}) =>
      (await ask(numbered(sql, parameters))).rows as Row[],
    run: async (sql, parameters = {}) => (await ask(numbered(sql, parameters))).rowCount ?? 0,
    lastAuditNumberSql: LAST_AUDIT_NUMBER,
  }
}

/** `@name` as `$1`: PostgreSQL's parameters have numbers. */
export function numbered(sql: string, parameters: object): Query {
  const names: string[] = []
  const text = sql.replaceAll(/@(\w+)/g, (_, name: string) => {
    const known = names.indexOf(name)
    return `$${known < 0 ? names.push(name) : known + 1}`
  })
  const given = new Map<string, unknown>(Object.entries(parameters))
  const missing = names.find(name => !given.has(name))
  if (missing !== undefined) throw new RangeError(`the parameter @${missing} is missing`)
  return { text, values: names.map(name => given.get(name)) }
}

/** Asks one connection, which takes one statement at a time: each waits for the one before it. */
export type InOrder = <Answer>(ask: (client: ClientBase) => Promise<Answer>) => Promise<Answer>

export function inOrder(client: ClientBase): InOrder {
  const turn = pLimit(1)
  return ask => turn(() => ask(client))
}

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
