import { dirname, join } from 'node:path'
import type {
  Approval,
  OutboundEvent,
  OutboundOperation,
  OutboundPlan,
  OutboundRun,
  StoredReceipt,
} from '../connectors/destination/outbound.ts'
import type { ApprovalRules } from '../outbound/approval.ts'
import { openPlan } from '../outbound/open-plan.ts'
import type { OpenedPlan, PlanKind } from '../outbound/open-plan.ts'
import { needsApproval } from './operation.ts'
import type { Operation } from './operation.ts'
import type { PlanFacts } from './plan/plan.ts'
import { whyNotByPolicy } from './plan/policy.ts'
import { readPlanLines } from './plan/read-lines.ts'
import type { PushDocument } from './plan/read-lines.ts'
import type { Push } from './push.ts'

/** Everything that is remembered of a plan: its document, and how it stands. */
export interface RememberedPlan {
  plan: OutboundPlan
  /** Of plan.jsonl; absolute. */
  path: string
  facts: PlanFacts
  targets: PushDocument['targets']
  operations: readonly { planned: Operation; stands: OutboundOperation }[]
  rules: ApprovalRules
  approvals: readonly Approval[]
  runs: readonly OutboundRun[]
  events: readonly OutboundEvent[]
  receipts: readonly StoredReceipt[]
}

/** Where plans of pushes lie: beside the database. */
export const pushFolder = (localFiles: string): string => join(dirname(localFiles), 'push')

/** Each plan has a folder of its own. */
export const planFolder = (folder: string, plan: string): string => join(folder, plan)

/** By which its creations and changes are told apart in the journal. */
export const tokenOf = (plan: string, op: string): string => `${plan}/${op}`

const pushKind = (folder: string): PlanKind<PushDocument> => ({
  name: 'push',
  suffix: '.jsonl',
  pathOf: ({ plan }) => join(planFolder(folder, plan), 'plan.jsonl'),
  parse: readPlanLines,
  operationsOf: ({ operations }, plan) =>
    operations.map(({ id }) => ({ op: id, token: tokenOf(plan, id) })),
})

type Place = Pick<Push, 'outbound' | 'folder' | 'settings'>

/** A plan by its id, or by the path of its plan.jsonl, as it was planned (INV-8). */
export async function loadPlan(
  { outbound, folder, settings }: Place,
  named: string,
): Promise<RememberedPlan> {
  const opened = await openPlan(outbound, pushKind(folder), named)
  const { plan, path, document } = opened
  return {
    plan,
    path,
    facts: plan.facts as unknown as PlanFacts,
    targets: document.targets,
    operations: document.operations.map((planned, index) => ({
      planned,
      stands: opened.operations[index]!,
    })),
    rules: rulesOf(opened, settings),
    approvals: await outbound.approvals(plan.plan),
    runs: await outbound.runs(plan.plan),
    events: await outbound.events(plan.plan),
    receipts: await outbound.receipts(plan.plan),
  }
}

/** Who may allow a push, by the configuration of now. */
function rulesOf(
  { plan, document: { operations } }: OpenedPlan<PushDocument>,
  { approvers, policy }: Push['settings'],
): ApprovalRules {
  return {
    hash: plan.hash,
    required: 1,
    validMs: Number.POSITIVE_INFINITY,
    approvers,
    guarded: new Set(operations.filter(needsApproval).map(({ id }) => id)),
    isAllowedByPolicy: whyNotByPolicy(operations, policy) === undefined,
  }
}
