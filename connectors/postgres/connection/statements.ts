import type { Statement, Statements } from '../../sql/statements.ts'
import type { Connections } from './connections.ts'
import { inTurn } from './in-turn.ts'

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
