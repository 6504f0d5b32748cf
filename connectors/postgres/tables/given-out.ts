import type { GivenOut } from '../../destination/given-out.ts'
import { givenOutOn } from '../../sql/given-out.ts'
import { openConnections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'

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
  return givenOutOn(sql)
}
