import type { ClientBase } from 'pg'
import type { Connections } from './connections.ts'
import { IN_TURN } from './serial.ts'
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
