import { DatabaseError } from '../../../errors.ts'
import type { GivenOut } from '../../destination/given-out.ts'
import { givenOutOn } from '../../sql/given-out.ts'
import { openConnections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { LASTS_SECONDS, requiring, takeLease } from './leases.ts'
import type { Lease } from './leases.ts'

/**
 * The tables of what was given out, on a connection of their own. Fails where the database takes no
 * writes, unless it is only read: nothing may be given out that nobody would remember.
 */
export async function openGivenOut(
  address: string,
  { readonly = false }: { readonly?: boolean } = {},
): Promise<GivenOut> {
  const sql = sqlOn(openConnections(address, { most: 1, readonly }))
  try {
    if (!readonly) await sql.run('DELETE FROM revisions WHERE false')
  } catch (cause) {
    await sql.close()
    throw cause
  }
  let held: Lease | undefined
  return {
    ...givenOutOn(requiring(sql, () => held, takenOver)),
    async lock(range, waiting) {
      const lease = await takeLease(address, `export of ${range}`, waiting)
      held = lease
      return {
        async release() {
          held = undefined
          await lease.release()
        },
      }
    },
  }
}

const takenOver = (): DatabaseError =>
  new DatabaseError(
    'EXPORT_TAKEN_OVER',
    'another machine has taken over this export: ' +
      `this one was not heard of for ${LASTS_SECONDS} s; nothing more of it was given out`,
    { remedy: 'Run the same command again. What was given out meanwhile is found, and counts.' },
  )
