import type { Kysely } from 'kysely'
import { CompiledQuery } from 'kysely'
import type { Schema } from '../../sql/schema.ts'
import type { Statement, Statements } from '../../sql/statements.ts'
import { IN_TURN } from './serial.ts'

/** Writes through the same Kysely that reads, one after the other as SQLite does. */
export function statementsOn(db: Kysely<Schema>): Statements {
  const inTurn = (statements: readonly Statement[]): Promise<number> =>
    db.transaction().execute(async inside => {
      await inside.executeQuery(CompiledQuery.raw(IN_TURN))
      let changes = 0
      for (const { sql, parameters } of statements) {
        const { numAffectedRows } = await inside.executeQuery(
          CompiledQuery.raw(sql, [...parameters]),
        )
        changes += Number(numAffectedRows ?? 0)
      }
      return changes
    })
  return {
    execute: statement => inTurn([statement]),
    async executeAll(statements) {
      await inTurn(statements)
    },
  }
}
