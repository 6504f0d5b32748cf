import type { OutboundOperation } from '../connectors/destination/outbound.ts'
import { judgeStanding, remember } from '../outbound/remembered.ts'
import type { Remembered } from '../outbound/remembered.ts'
import type { Runner } from '../outbound/run.ts'
import type { PlanStanding } from '../outbound/waiting-plans.ts'
import type { KeptPlan } from './plan-files.ts'
import { isSentAndOver } from './receipts.ts'
import type { Reconciling } from './reconciling.ts'
import { rulesOf } from './rules.ts'

/** A reconciliation, with everything that is remembered of it. */
export interface RememberedPlan extends KeptPlan, Remembered {
  operations: readonly OutboundOperation[]
}

export async function rememberPlan(
  { store, settings }: Pick<Reconciling, 'store' | 'settings'>,
  kept: KeptPlan,
): Promise<RememberedPlan> {
  const { plan } = kept.plan
  const operations = await store.operations(plan)
  return { ...kept, operations, ...(await remember(store, plan, rulesOf(kept, settings))) }
}

/** Why a reconciliation goes no further without somebody. */
export const standingOf = (
  remembered: RememberedPlan,
  at: { runner: Runner; nowMs: number },
): PlanStanding => judgeStanding(remembered, remembered.operations, isSentAndOver, at)
