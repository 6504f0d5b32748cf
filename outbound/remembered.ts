import type {
  Approval,
  OutboundEvent,
  OutboundOperation,
  OutboundRun,
  OutboundStore,
  StoredReceipt,
} from '../connectors/destination/outbound.ts'
import { isApproved, lackingApproval } from './approval.ts'
import type { ApprovalRules } from './approval.ts'
import { openRequests } from './ask-changes.ts'
import { NOT_SENT } from './operation-states.ts'
import { findInterrupted } from './run.ts'
import type { Runner } from './run.ts'
import { notTaken } from './waiting-plans.ts'
import type { PlanStanding } from './waiting-plans.ts'

/** What was said and done of a plan, beside its document and how its operations stand. */
export interface Remembered {
  rules: ApprovalRules
  approvals: readonly Approval[]
  runs: readonly OutboundRun[]
  events: readonly OutboundEvent[]
  receipts: readonly StoredReceipt[]
}

export const remember = async (
  store: Pick<OutboundStore, 'approvals' | 'runs' | 'events' | 'receipts'>,
  plan: string,
  rules: ApprovalRules,
): Promise<Remembered> => ({
  rules,
  approvals: await store.approvals(plan),
  runs: await store.runs(plan),
  events: await store.events(plan),
  receipts: await store.receipts(plan),
})

/** Whether a plan may be sent now, as far as people's words go; with `op`, that operation. */
export const isAllowed = (
  { rules, approvals, events }: Pick<Remembered, 'rules' | 'approvals' | 'events'>,
  nowMs: number,
  op?: string,
): boolean => openRequests(events).length === 0 && isApproved(rules, approvals, nowMs, op)

/**
 * Why a plan goes no further without somebody. `sending`: its operations that send something;
 * `getsReceipt`: one that was sent and has come to its end. Pure.
 */
export function judgeStanding(
  { rules, approvals, runs, events, receipts }: Remembered,
  sending: readonly OutboundOperation[],
  getsReceipt: (operation: OutboundOperation) => boolean,
  { runner, nowMs }: { runner: Runner; nowMs: number },
): PlanStanding {
  const unsent = sending.filter(({ state }) => NOT_SENT.has(state)).map(({ op }) => op)
  const written = new Set(receipts.map(({ op }) => op))
  const carried = sending.map(operation => ({
    state: operation.state,
    lacksReceipt: getsReceipt(operation) && !written.has(operation.op),
  }))
  return {
    missingApproval: lackingApproval(rules, approvals, unsent, nowMs),
    interrupted: findInterrupted(runs, carried, { runner, nowMs }),
    stopped: notTaken(sending, runs),
    asked: openRequests(events)[0],
  }
}
