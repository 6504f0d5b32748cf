import type { OutboundPlan, OutboundStore } from '../connectors/destination/outbound.ts'
import { PlanError, UsageError } from '../errors.ts'
import {
  approversOf,
  describeMissingApprovals,
  findChangedApproval,
  isApproved,
  judgeApproval,
  POLICY,
} from './approval.ts'
import type { ApprovalRules, AskedApproval, JudgedApproval } from './approval.ts'
import { refuseAskedChanges } from './ask-changes.ts'
import { refuseDiscarded } from './discard.ts'
import { planChanged } from './plan-changed.ts'

/** An approval as it is asked for: by whom, from where, and of which guarded operations. */
export interface NewApproval extends AskedApproval {
  /** `user@machine`. */
  origin: string
  /** Ids of operations that need to be named. */
  guarded?: readonly string[]
}

/** What is judged of a plan: its row, and who may allow it. */
export interface Judged {
  plan: Pick<OutboundPlan, 'plan' | 'kind'>
  rules: ApprovalRules
}

type Remembered = Pick<OutboundStore, 'approvals' | 'approve' | 'events' | 'note'>

/** Writes an approval down, or throws why it is not allowed (INV-8). */
export async function approvePlan(
  store: Remembered,
  { plan, rules }: Judged,
  asked: NewApproval,
): Promise<void> {
  const events = await store.events(plan.plan)
  refuseDiscarded(plan, events)
  refuseAskedChanges(plan, events)
  for (;;) {
    const given = await store.approvals(plan.plan)
    const judged = judgeApproval(rules, given, asked)
    if (!judged.allowed) throw refused(plan, judged)
    const { name: by, role } = judged.approver
    if (await write(store, { plan, rules }, { ...asked, by, role }, given.length)) return
  }
}

/** The policy of a schedule allows the plan; that is judged again when it is sent. */
export async function approveByPolicy(
  store: Remembered,
  judged: Judged,
  at: Omit<NewApproval, 'by' | 'hash'>,
): Promise<void> {
  const approval = { ...at, by: POLICY, role: 'policy' }
  while (!(await write(store, judged, approval, (await store.approvals(judged.plan.plan)).length)));
}

async function write(
  store: Remembered,
  { plan: { plan }, rules: { hash } }: Judged,
  { by, role, atMs, origin, guarded = [] }: NewApproval & { role: string },
  before: number,
): Promise<boolean> {
  const at = new Date(atMs).toISOString()
  const approval = { plan, by, role, at, hash, origin, facts: { guarded } }
  if (!(await store.approve(approval, before))) return false
  await store.note({ plan, op: null, at, event: 'approved', by, detail: role })
  return true
}

function refused(
  { kind, plan }: Judged['plan'],
  { reason, why }: Extract<JudgedApproval, { allowed: false }>,
): Error {
  const remedy = `Nothing was approved. tillage ${kind} show ${plan} tells who has approved so far.`
  return kind === 'push' && reason === 'hash'
    ? new UsageError(why, remedy)
    : new PlanError('NOT_ALLOWED', why, { remedy })
}

/**
 * Throws where the plan is not approved as of now (INV-8), where somebody wants it otherwise, or by
 * rows that no command wrote. Asked once for each run, because it reads the whole audit log.
 */
export async function refuseUnapprovedRun(
  store: Pick<OutboundStore, 'approvals' | 'unloggedApprovals' | 'events'>,
  judged: Judged,
  nowMs: number,
): Promise<void> {
  const { kind, plan } = judged.plan
  refuseAskedChanges(judged.plan, await store.events(plan))
  await refuseUnapproved(store, judged, nowMs)
  const [forged] = await store.unloggedApprovals(plan)
  if (forged === undefined) return
  const { by, at } = forged
  throw planChanged(kind, `the approval of ${by}, ${at}, is not as the audit log has it`)
}

/**
 * Throws where the plan, or with `op` that operation, is not approved as of now (INV-8). Answers
 * who has approved it.
 */
export async function refuseUnapproved(
  store: Pick<OutboundStore, 'approvals'>,
  { plan: { kind, plan }, rules }: Judged,
  nowMs: number,
  op?: string,
): Promise<string[]> {
  const given = await store.approvals(plan)
  const bent = findChangedApproval(rules.hash, given)
  if (bent !== undefined) throw planChanged(kind, bent)
  if (isApproved(rules, given, nowMs, op)) return approversOf(rules, given, nowMs, op)
  const what = isApproved(rules, given, nowMs)
    ? `${op} of ${plan} needs an approval that names it`
    : `${plan} ${describeMissingApprovals(rules, given, nowMs)}`
  throw new PlanError('NOT_APPROVED', what, {
    remedy: `Look at it: tillage ${kind} show ${plan}. Then: tillage ${kind} approve ${plan} --by NAME`,
  })
}
