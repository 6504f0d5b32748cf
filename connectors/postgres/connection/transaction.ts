import { setTimeout } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { DatabaseError } from '../../../errors.ts'
import type { Connections } from './connections.ts'
import { asDatabaseError } from './postgres-errors.ts'

/** All of `work` is one transaction, on the disk when this resolves; it runs statements alone. */
export async function inTransaction<Answer>(
  connections: Connections,
  work: (client: ClientBase) => Promise<Answer>,
): Promise<Answer> {
  const { answer, lost } = await attempt(connections, work)
  // Asked once the lost connection is given back: it may be the only one that there may be.
  if (lost === undefined || (await hasCommitted(connections, lost.id, lost.cause))) return answer
  throw lost.cause
}

interface Attempt<Answer> {
  answer: Answer
  /** Of a transaction whose COMMIT was sent and not answered. */
  lost?: { id: string; cause: unknown }
}

async function attempt<Answer>(
  connections: Connections,
  work: (client: ClientBase) => Promise<Answer>,
): Promise<Attempt<Answer>> {
  const client = await connections.connect()
  let isSound = false
  try {
    await client.query('BEGIN')
    const answer = await work(client)
    const lost = await commit(client)
    isSound = lost === undefined
    return { answer, ...(lost && { lost }) }
  } catch (cause) {
    isSound = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    )
    throw asDatabaseError(connections.place, cause)
  } finally {
    // The pool makes another one for one that is lost.
    client.release(!isSound)
  }
}

/** Answers what to ask for where the answer is lost. */
async function commit(client: ClientBase): Promise<Attempt<unknown>['lost']> {
  const { rows } = await client.query<{ id: string | null }>(
    'SELECT pg_current_xact_id_if_assigned()::text AS id',
  )
  try {
    await client.query('COMMIT')
    return undefined
  } catch (cause) {
    const id = rows[0]?.id ?? undefined
    if (!isUnreachable(cause) || id === undefined) throw cause
    return { id, cause }
  }
}

const isUnreachable = (cause: unknown): boolean =>
  cause instanceof DatabaseError && cause.code === 'DATABASE_UNREACHABLE'

/** A server that starts again takes seconds; one that a standby replaces, some more. */
const ASKED_FOR_MS = 60_000
const BETWEEN_MS = 500

/**
 * Also a standby that lacks the last commits answers: to it the transaction is of the future, which
 * is an error of its own and means that nothing of it is there.
 */
export async function hasCommitted(
  connections: Connections,
  id: string,
  lost: unknown,
): Promise<boolean> {
  const untilMs = Date.now() + ASKED_FOR_MS
  while (Date.now() < untilMs) {
    const status = await statusOf(connections, id)
    if (status === 'committed' || status === 'aborted') return status === 'committed'
    await setTimeout(BETWEEN_MS)
  }
  throw new DatabaseError(
    'DATABASE_UNREACHABLE',
    `${connections.place} was lost while a transaction was committed, and has not told since ` +
      'whether it was',
    {
      cause: lost,
      remedy:
        'Wait until the server answers, then run the same command again: it looks at what is there ' +
        'before it does anything.',
    },
  )
}

/** Undefined: it cannot be asked, or has not decided. */
async function statusOf(connections: Connections, id: string): Promise<string | undefined> {
  try {
    const client = await connections.connect()
    try {
      const sql = 'SELECT pg_xact_status($1::xid8) AS status'
      const { rows } = await client.query<{ status: string | null }>(sql, [id])
      return rows[0]?.status ?? undefined
    } finally {
      client.release()
    }
  } catch (cause) {
    return isOfTheFuture(cause) ? 'aborted' : undefined
  }
}

const isOfTheFuture = (cause: unknown): boolean =>
  cause instanceof Error && (cause as { code?: string }).code === '22023'
