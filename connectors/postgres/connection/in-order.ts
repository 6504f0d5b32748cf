import pLimit from 'p-limit'
import type { ClientBase } from 'pg'

/** Asks one connection, which takes one statement at a time: each waits for the one before it. */
export type InOrder = <Answer>(ask: (client: ClientBase) => Promise<Answer>) => Promise<Answer>

export function inOrder(client: ClientBase): InOrder {
  const turn = pLimit(1)
  return ask => turn(() => ask(client))
}
