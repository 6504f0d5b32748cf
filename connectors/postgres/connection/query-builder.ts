import { Kysely, PostgresDialect } from 'kysely'
import type { Statement, Statements } from '../../sql/connection.ts'
import type { Schema } from '../../sql/schema.ts'
import type { Connections } from './connections.ts'
import { inTurn } from './in-turn.ts'

/** Kysely on these connections. */
export const kyselyOn = (connections: Connections): Kysely<Schema> =>
  new Kysely<Schema>({ dialect: new PostgresDialect({ pool: { ...connections, options: {} } }) })

/** What Kysely has compiled, one after the other as SQLite writes. */
export function statementsOn(connections: Connections): Statements {
  const run = (statements: readonly Statement[]): Promise<number> =>
    inTurn(connections, async client => {
      let changes = 0
      for (const { sql, parameters } of statements)
        changes += (await client.query(sql, [...parameters])).rowCount ?? 0
      return changes
    })
  return {
    execute: statement => run([statement]),
    async executeAll(statements) {
      await run(statements)
    },
  }
}
