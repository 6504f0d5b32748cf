import { setTimeout } from 'node:timers/promises'
import type { ClientBase, PoolClient } from 'pg'
import { databaseInUse } from '../../sql/database-in-use.ts'
import { openConnections } from '../connection/connections.ts'
import type { Connections } from '../connection/connections.ts'
import { IN_TURN } from '../connection/in-turn.ts'
import { withConnections } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'

/** Shared by all that have the database open; the one who has it alone takes it for itself. */
const OPEN = `hashtextextended('tillage open ' || current_schema(), 0)`

/**
 * Does something with a database that nobody else has open: what runs beside would go on under what
 * is no longer true. Fails with DATABASE_BUSY where another program has it open; who opens it
 * meanwhile waits. All of `work` is one transaction.
 */
export const withExclusiveDatabase = <Answer>(
  address: string,
  work: (client: ClientBase) => Promise<Answer>,
): Promise<Answer> =>
  withConnections(address, connections =>
    inTransaction(connections, async client => {
      await takeAlone(client, connections.place)
      return work(client)
    }),
  )

/** Until the transaction ends. */
export async function takeAlone(client: ClientBase, place: string): Promise<void> {
  const { rows } = await client.query<{ alone: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${OPEN}) AS alone`,
  )
  if (rows[0]?.alone !== true) throw databaseInUse(place)
  await client.query(IN_TURN)
  // What somebody does by hand may take its time.
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
}

/** Says that a program has the database open, until it is released. */
export interface HeldOpen {
  release(): Promise<void>
}

/**
 * On a connection of its own, since the lock goes with it. A server that was away is asked for it
 * again when it is back.
 */
export async function holdOpen(address: string): Promise<HeldOpen> {
  const connections = openConnections(address, { most: 1 })
  let isReleased = false
  let held: PoolClient | undefined
  const hold = async (): Promise<void> => {
    const client = await takeLock(connections)
    held = client
    client.once('end', () => void lost(client))
  }
  const lost = async (client: PoolClient): Promise<void> => {
    if (isReleased) return
    held = undefined
    client.release(true)
    while (!isReleased && held === undefined) {
      await setTimeout(AGAIN_MS, undefined, { ref: false })
      if (!isReleased) await hold().catch(() => {})
    }
  }
  try {
    await hold()
  } catch (cause) {
    await connections.end()
    throw cause
  }
  return {
    async release() {
      isReleased = true
      // A server that is busy notices late that a connection is closed.
      const unlock = { text: `SELECT pg_advisory_unlock_shared(${OPEN})`, query_timeout: UNLOCK_MS }
      await held?.query(unlock).catch(() => {})
      held?.release(true)
      await connections.end()
    },
  }
}

const AGAIN_MS = 1_000
/** A server that does not answer frees what we held when it finds us gone. */
const UNLOCK_MS = 1_000

/** Whoever has the database alone is waited for so long. */
const PATIENCE = '60s'

async function takeLock(connections: Connections): Promise<PoolClient> {
  const client = await connections.connect()
  try {
    await client.query(`SET lock_timeout = '${PATIENCE}'`)
    await client.query(`SELECT pg_advisory_lock_shared(${OPEN})`)
    return client
  } catch (cause) {
    client.release(true)
    throw cause
  }
}
