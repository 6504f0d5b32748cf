import type { OutboundEvent, OutboundPlan } from '../connectors/destination/outbound.ts'
import type { ApprovalRules } from './approval.ts'
import { refuseUnapproved } from './approve.ts'
import { planChanged } from './plan-changed.ts'
import { restoredMsOf } from './restored.ts'
import { refuseOverRun } from './run.ts'
import type { Outbound, Sending } from './sending.ts'

/** A run of a plan: what it may send, and by whose leave. */
interface Permitted {
  plan: OutboundPlan
  rules: ApprovalRules
  run: string
}

/** How an operation goes out, as far as that is the same in plans of every kind. */
export const permittedSending = (
  { store, now, sleep }: Outbound,
  { events, ...permitted }: Permitted & { events: readonly OutboundEvent[] },
  { op, writesTo }: { op: string; writesTo: string },
): Omit<Sending, 'write' | 'rules'> => ({
  store,
  now,
  sleep,
  run: permitted.run,
  writesTo,
  permit: () => refuseUnpermitted(store, permitted, { op, nowMs: now() }),
  restoredMs: restoredMsOf(events),
})

/**
 * Right before an operation is sent, everything is judged anew: an approval may have expired since
 * the run began, somebody may have taken it over, and rows of the database may have been changed
 * (INV-8).
 */
async function refuseUnpermitted(
  store: Outbound['store'],
  { plan, rules, run }: Permitted,
  { op, nowMs }: { op: string; nowMs: number },
): Promise<string[]> {
  await refuseOverRun(store, { plan: plan.plan, run })
  const now = await store.plan(plan.plan)
  if (now?.hash !== plan.hash)
    throw planChanged(
      plan.kind,
      `${plan.plan} had the hash ${plan.hash}, and in the database it is now ${now?.hash ?? 'gone'}`,
    )
  return refuseUnapproved(store, { plan, rules }, nowMs, op)
}
