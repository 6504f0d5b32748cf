import type Sqlite from 'better-sqlite3'
import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import { actNow } from '../../sql/audit-chain.ts'
import { removeOld } from '../../sql/purge.ts'
import type { Stream } from '../../stream.ts'
import { stepsOn } from '../connection/steps.ts'
import { appendTo } from '../tables/append-act.ts'

/**
 * Removes what is older than its retention, or only counts it; one transaction, on a connection
 * that overwrites what it deletes. The audit log gets an entry in the same transaction.
 */
export function purge(
  connection: Sqlite.Database,
  order: PurgeOrder,
  streams: readonly Stream[],
  { dryRun = false }: { dryRun?: boolean } = {},
): Purged[] {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const purged = stepsOn(connection)(removeOld(order, streams))
    if (!dryRun && purged.some(({ rows }) => rows > 0))
      appendTo(connection, actNow('purge', { store: order.store, purged }))
    connection.exec(dryRun ? 'ROLLBACK' : 'COMMIT')
    return purged
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}
