import type { ClientBase } from 'pg'
import type { Sql } from '../../sql/connection.ts'
import type { Connections } from './connections.ts'
import { inTransaction } from './transaction.ts'

/** A transaction that happens after every other one of its kind. */
export const inTurn = <Answer>(
  connections: Connections,
  work: (client: ClientBase) => Promise<Answer>,
  turn = IN_TURN,
): Promise<Answer> =>
  inTransaction(connections, async client => {
    await client.query(turn)
    return work(client)
  })

/** Whether a transaction of this kind is under way just now, so that the next one waits for it. */
export async function isTurnTaken(sql: Sql): Promise<boolean> {
  const [turn] = await sql.all<{ free: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${lockOf('tillage ')}) AS free`,
  )
  return !turn!.free
}

/** A machine that fell asleep in its turn: the others go on, and its transaction is over. */
const LONGEST_SILENCE_MS = 20_000

/**
 * Taken first in a transaction that is to happen after every other one of its kind: what is decided
 * by rows that are not there yet has nothing else to wait for. It ends with the transaction.
 */
export const IN_TURN = turnOf('tillage ')

/** Among hints of events alone, which wait for nothing that takes long. */
export const HINTS_IN_TURN = turnOf('tillage hints ')

function turnOf(kind: string): string {
  return `SELECT
    set_config('idle_in_transaction_session_timeout', '${LONGEST_SILENCE_MS}', true),
    pg_advisory_xact_lock(${lockOf(kind)})`
}

function lockOf(kind: string): string {
  return `hashtextextended('${kind}' || current_schema(), 0)`
}
