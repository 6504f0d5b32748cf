import type { ClientBase } from 'pg'
import type { Sql, SqlConnection } from '../../sql/connection.ts'
import type { Connections } from './connections.ts'
import { IN_TURN } from './serial.ts'
import { inTransaction } from './transaction.ts'

/** Statements on connections that are closed with them. */
export function sqlOn(connections: Connections): SqlConnection {
  const alone: Pick<ClientBase, 'query'>['query'] = (async (...given: [never]) => {
    const client = await connections.connect()
    try {
      return await client.query(...given)
    } finally {
      client.release()
    }
  }) as never
  return {
    ...statementsOn({ query: alone }),
    write: work =>
      inTransaction(connections, async client => {
        // One after the other, as `SqlConnection.write` says: each waits for the one before it.
        await client.query(IN_TURN)
        return work(statementsOn(client))
      }),
    close: () => connections.end(),
  }
}

export function statementsOn(place: Pick<ClientBase, 'query'>): Sql {
  const all = async <Row extends object>(sql: string, parameters: object = {}): Promise<Row[]> => {
    const { rows } = await place.query<Row>(numbered(sql, parameters))
    return rows
  }
  return {
    all,
    async run(sql, parameters = {}) {
      return (await place.query(numbered(sql, parameters))).rowCount ?? 0
    },
    async lastAuditNumber() {
      return (await all<{ seq: number }>('SELECT seq FROM audit_log_last'))[0]?.seq ?? 0
    },
  }
}

/** `@name` as `$1`: PostgreSQL's parameters have numbers. */
function numbered(sql: string, parameters: object): { text: string; values: unknown[] } {
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
