import { RESTORED } from '../../destination/outbound.ts'
import { openConnection } from '../connection/open-connection.ts'

/**
 * Marks each plan of a restored database that is not finished: what the backup does not know of may
 * have been sent since. Answers their ids. One of an older version stays without: it has no plans.
 * `backupAt`: undefined where nobody knows it.
 */
export function markRestored(
  path: string,
  { backupAt, at }: { backupAt: string | undefined; at: string },
): string[] {
  const connection = openConnection(path)
  try {
    const hasPlans = connection
      .prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'outbound_events'`)
      .get()
    if (hasPlans === undefined) return []
    const of = backupAt === undefined ? '' : ` of ${backupAt}`
    const detail = `from a backup${of}: what is not finished may have been sent since`
    return connection
      .prepare<[string, string, string], string>(
        `INSERT INTO outbound_events (plan, op, at, event, by, detail)
         SELECT plan, NULL, ?, ?, NULL, ? FROM outbound_operations
         WHERE state IN ('planned', 'failed', 'submitted') GROUP BY plan
         RETURNING plan`,
      )
      .pluck()
      .all(at, RESTORED, detail)
  } finally {
    connection.close()
  }
}
