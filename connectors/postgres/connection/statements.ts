import type { Statement, Statements } from '../../sql/statements.ts'
import type { Connections } from './connections.ts'
import { IN_TURN } from './serial.ts'
import { inTransaction } from './transaction.ts'

/** What Kysely has compiled, one after the other as SQLite writes. */
export function statementsOn(connections: Connections): Statements {
  const inTurn = (statements: readonly Statement[]): Promise<number> =>
    inTransaction(connections, async client => {
      await client.query(IN_TURN)
      let changes = 0
      for (const { sql, parameters } of statements)
        changes += (await client.query(sql, [...parameters])).rowCount ?? 0
      return changes
    })
  return {
    execute: statement => inTurn([statement]),
    async executeAll(statements) {
      await inTurn(statements)
    },
  }
}
