import type { OperationState, OutboundRun } from '../destination/outbound.ts'
import type { Sql } from './connection.ts'
import { straysIn } from './stray-operations.ts'

/** Plans with an operation in one of these states, a run that did not end, or a stray. */
export async function openPlansIn(
  sql: Sql,
  states: readonly OperationState[],
  acts: readonly OutboundRun['act'][],
): Promise<ReadonlySet<string>> {
  const listed = (names: readonly string[], as: string): string =>
    names.map((_, index) => `@${as}${index}`).join(', ')
  const found = await sql.all<{ plan: string }>(
    `SELECT plan FROM outbound_operations WHERE state IN (${listed(states, 'state')})
     UNION
     SELECT plan FROM outbound_runs AS run
     WHERE act IN (${listed(acts, 'act')}) AND coalesce(outcome, '') <> 'done' AND NOT EXISTS (
       SELECT 1 FROM outbound_runs AS later WHERE later.plan = run.plan AND later.seq > run.seq
         AND later.act IN (${listed(acts, 'act')}))`,
    Object.fromEntries([
      ...states.map((state, index) => [`state${index}`, state]),
      ...acts.map((act, index) => [`act${index}`, act]),
    ]),
  )
  const strays = await straysIn(sql, null)
  return new Set([...found, ...strays].map(({ plan }) => plan))
}
