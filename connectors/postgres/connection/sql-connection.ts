import type { ClientBase, Pool } from 'pg'
import type { Sql, SqlConnection } from '../../sql/connection.ts'
import { IN_TURN } from './serial.ts'

/** Statements on connections of a pool, which is closed with them. */
export function sqlOn(pool: Pool): SqlConnection {
  return {
    ...statementsOn(pool),
    async write(work) {
      const client = await pool.connect()
      let isSound = false
      try {
        const answer = await inTransaction(client, work)
        isSound = true
        return answer
      } finally {
        // One whose transaction failed may be broken: the pool makes another.
        client.release(!isSound)
      }
    },
    close: () => pool.end(),
  }
}

/** One after the other, as `SqlConnection.write` says: each waits for the one before it. */
async function inTransaction<Answer>(
  client: ClientBase,
  work: (sql: Sql) => Promise<Answer>,
): Promise<Answer> {
  await client.query('BEGIN')
  try {
    await client.query(IN_TURN)
    const answer = await work(statementsOn(client))
    await client.query('COMMIT')
    return answer
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

function statementsOn(place: Pick<ClientBase, 'query'> | Pool): Sql {
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
