import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql, SqlConnection } from '../../sql/connection.ts'
import { openConnections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { SERVER } from '../schema/server.ts'

/**
 * The right to do something under a name, of all machines that work with the database: who is gone
 * loses it within seconds. The times are the server's own, since clocks of machines differ. It
 * holds on the server that gave it: a standby that takes over may lack what was done under it.
 */
export interface Lease {
  /**
   * False where somebody else has it. Asked first in the transaction of whatever needs it: nobody
   * takes it over before that ends.
   */
  isHeld(inside: Sql): Promise<boolean>
  release(): Promise<void>
}

/** Who was killed keeps the others waiting for so long at the most. */
export const LASTS_SECONDS = 8
const RENEW_EVERY_MS = 2_000
const POLL_EVERY_MS = 250

/** Waits until nobody has it; `waiting` is called meanwhile, and may throw. */
export async function leaseOn(
  sql: SqlConnection,
  name: string,
  waiting: () => void,
): Promise<Lease> {
  const lease = { name, holder: randomUUID(), seconds: LASTS_SECONDS }
  while (!(await isTaken(sql, lease))) {
    waiting()
    await pause(POLL_EVERY_MS)
  }
  // A server that is away for a moment is asked again; `isHeld` sees whether it was for too long.
  const renewing = setInterval(() => void sql.run(RENEW, lease).catch(() => {}), RENEW_EVERY_MS)
  renewing.unref()
  return {
    isHeld: async inside => (await inside.all(HOLD, lease)).length > 0,
    async release() {
      clearInterval(renewing)
      // Where the server is away the lease ends by itself.
      await sql.run(RELEASE, lease).catch(() => {})
    },
  }
}

/** The same on a connection of its own, which is closed with it. */
export async function takeLease(
  address: string,
  name: string,
  waiting: () => void,
): Promise<Lease> {
  const sql = sqlOn(openConnections(address, { most: 1 }))
  try {
    const lease = await leaseOn(sql, name, waiting)
    return {
      ...lease,
      async release() {
        await lease.release()
        await sql.close()
      },
    }
  } catch (cause) {
    await sql.close()
    throw cause
  }
}

/** The same connection; while there is a lease nothing is written without it. */
export function requiring(
  sql: SqlConnection,
  lease: () => Lease | undefined,
  takenOver: () => Error,
): SqlConnection {
  const write: SqlConnection['write'] = work =>
    sql.write(async inside => {
      if ((await lease()?.isHeld(inside)) === false) throw takenOver()
      return work(inside)
    })
  return {
    ...sql,
    write,
    run: (statement, parameters) => write(inside => inside.run(statement, parameters)),
  }
}

const END = 'clock_timestamp() + make_interval(secs => @seconds)'
const HOLDER = `@holder || ' on ' || ${SERVER}`
const OURS = `name = @name AND holder = ${HOLDER}`

const RENEW = `UPDATE leases SET expires_at = ${END} WHERE ${OURS}`
const RELEASE = `DELETE FROM leases WHERE ${OURS}`
/** A row that is locked so can be renewed, and not removed. */
const HOLD = `SELECT 1 FROM leases WHERE ${OURS} FOR KEY SHARE`

async function isTaken(sql: Sql, lease: { name: string }): Promise<boolean> {
  await sql.run('DELETE FROM leases WHERE name = @name AND expires_at < clock_timestamp()', lease)
  const inserted = await sql.run(
    `INSERT INTO leases (name, holder, expires_at) VALUES (@name, ${HOLDER}, ${END})
     ON CONFLICT (name) DO NOTHING`,
    lease,
  )
  return inserted === 1
}
