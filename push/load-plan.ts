import { dirname, join } from 'node:path'
import type {
  OperationState,
  OutboundEvent,
  OutboundOperation,
  OutboundPlan,
} from '../connectors/destination/outbound.ts'
import type { ApprovalRules } from '../outbound/approval.ts'
import { isDiscarded } from '../outbound/discard.ts'
import { openPlan } from '../outbound/open-plan.ts'
import type { OpenedPlan, PlanKind } from '../outbound/open-plan.ts'
import { remember } from '../outbound/remembered.ts'
import type { Remembered } from '../outbound/remembered.ts'
import { needsApproval } from './operation.ts'
import type { Operation } from './operation.ts'
import type { PlanFacts } from './plan/plan.ts'
import { whyNotByPolicy } from './plan/policy.ts'
import { readPlanLines } from './plan/read-lines.ts'
import type { PushDocument } from './plan/read-lines.ts'
import type { Push } from './push.ts'

/** Everything that is remembered of a plan: its document, and how it stands. */
export interface RememberedPlan extends Remembered {
  plan: OutboundPlan
  /** Of plan.jsonl; absolute. */
  path: string
  facts: PlanFacts
  targets: PushDocument['targets']
  operations: readonly { planned: Operation; stands: OutboundOperation }[]
  /** The plan that undoes this one; null where none does. */
  inverse: Inverse | null
}

export interface Inverse {
  plan: string
  /** Nothing of it was sent: given up now, it would undo nothing. */
  isOnlyPlanned: boolean
}

/** The event of a plan for which an inverse was made; its detail is that plan. */
export const UNDONE = 'undone'

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
  const remembered = await remember(outbound, plan.plan, rulesOf(opened, settings))
  return {
    plan,
    path,
    facts: plan.facts as unknown as PlanFacts,
    targets: document.targets,
    operations: document.operations.map((planned, index) => ({
      planned,
      stands: opened.operations[index]!,
    })),
    ...remembered,
    inverse: await inverseOf(outbound, remembered.events),
  }
}

/** What was said last of an operation, in words. */
export const lastSaidOf = (
  { events }: Pick<RememberedPlan, 'events'>,
  operation: string,
): OutboundEvent | undefined =>
  events.findLast(({ op, detail }) => op === operation && detail !== '')

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

/** An operation in these has written nothing, and found nothing as it would have written it. */
const WITHOUT_EFFECT: ReadonlySet<OperationState> = new Set([
  'planned',
  'failed',
  'stale',
  'abandoned',
])

/**
 * The newest inverse that counts. One that was given up before anything of it was sent undoes
 * nothing: the plan is as it was before.
 */
async function inverseOf(
  outbound: Push['outbound'],
  events: readonly OutboundEvent[],
): Promise<Inverse | null> {
  for (const { event, detail: plan } of events.toReversed()) {
    if (event !== UNDONE) continue
    const operations = await outbound.operations(plan)
    const isOnlyPlanned = operations.every(({ state }) => WITHOUT_EFFECT.has(state))
    if (!isOnlyPlanned || !isDiscarded(await outbound.events(plan))) return { plan, isOnlyPlanned }
  }
  return null
}
