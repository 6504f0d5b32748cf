import { toIso } from '../../../calendar/days.ts'
import { RESTORED } from '../../destination/outbound.ts'
import type { Sql } from '../../sql/connection.ts'
import { SERVER } from '../schema/server.ts'

/**
 * Marks each plan that is not finished, where the database came back from a backup or a standby has
 * taken it over since plans were sent last: commits may be lost, and with them what was sent.
 * Called in a transaction, before a run begins to send.
 */
export async function markAfterServerChange(sql: Sql, nowMs: number): Promise<void> {
  const changed = await sql.run(
    `UPDATE last_server SET server = ${SERVER} WHERE server <> ${SERVER}`,
  )
  if (changed === 0) return
  await sql.run(
    `INSERT INTO outbound_events (plan, op, at, event, "by", detail)
     SELECT DISTINCT plan, NULL::text, @at, @event, NULL::text, @detail FROM outbound_operations
     WHERE state IN ('planned', 'failed', 'submitted')`,
    { at: toIso(nowMs), event: RESTORED, detail: DETAIL },
  )
}

const DETAIL =
  'from a backup, or a standby has taken it over: what is not finished may have been sent since'
