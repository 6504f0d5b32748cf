import type {
  Approval,
  OperationState,
  OutboundEvent,
  OutboundOperation,
  OutboundPlan,
  StoredReceipt,
} from '../connectors/destination/outbound.ts'
import { parseExact } from './exact-json.ts'
import type { JsonRecord } from './exact-json.ts'
import { needsApproval, sends } from './operation.ts'
import type { Counts, Entity, Operation } from './operation.ts'
import type { PlanFacts } from './plan/plan.ts'

/** Everything that is remembered of a plan. */
export interface RememberedPlan {
  plan: OutboundPlan
  facts: PlanFacts
  operations: readonly { planned: Operation; stands: OutboundOperation }[]
  approvals: readonly Approval[]
  events: readonly OutboundEvent[]
  receipts: readonly StoredReceipt[]
}

/** How an operation stands, for people. */
export type ShownState =
  | 'planned'
  | 'approved'
  | 'waiting'
  | 'applied'
  | 'stale'
  | 'failed'
  | 'unknown'
  | 'noop'
  | 'conflict'
  | 'blocked'

export interface ShownOperation {
  id: string
  entity: Entity
  op: Operation['op']
  row: number | null
  externalId: string
  targetId: string | null
  match: Operation['match']
  changes: { field: string; old: string | null; new: string | null }[]
  flags: readonly string[]
  approval: 'none' | 'required' | 'given'
  dependsOn: readonly string[]
  effectiveAt: string | null
  reason: string | null
  state: ShownState
  error: string | null
  receipt: { before: unknown; sent: unknown; after: unknown; at: string; by: string } | null
}

export interface ShownStore {
  store: string
  state: 'planned' | 'applied' | 'failed' | 'stopped'
  error: { code: string; message: string } | null
  counts: Counts
  requests: { expected: number; seconds: number }
  operations: ShownOperation[]
}

/** What `plan`, `show`, `approve`, `apply` and `undo` answer. */
export interface PlanDocument {
  plan: string
  hash: string
  kind: 'push' | 'undo'
  of: string | null
  entity: string
  state: 'planned' | 'approved' | 'waiting' | 'applied' | 'incomplete' | 'stopped'
  file: PlanFacts['file']
  files: PlanFacts['files']
  approvals: { by: string; at: string; hash: string; guarded: string[] }[]
  stores: ShownStore[]
}

/** Events of a whole plan that decide how it is shown. */
export const APPLIED = 'applied'
export const STOPPED = 'stopped'
export const STORE_FAILED = 'store failed'

/** Ids of the operations whose own approval was given, by all approvals together. */
export const guardedBy = (approvals: readonly Approval[]): ReadonlySet<string> =>
  new Set(approvals.flatMap(({ facts }) => (facts['guarded'] as string[] | undefined) ?? []))

/** Whether an operation may be sent: somebody approved the plan, and it, where it needs that. */
export const isApproved = (operation: Operation, approvals: readonly Approval[]): boolean =>
  approvals.length > 0 && (!needsApproval(operation) || guardedBy(approvals).has(operation.id))

const NOT_SENT: ReadonlySet<OperationState> = new Set(['planned', 'failed'])

/** What approvals the operations that were not sent lack, in words; undefined: none. */
export function lackingApproval(
  operations: readonly OutboundOperation[],
  approvals: readonly Approval[],
): string | undefined {
  const lacking = operations
    .filter(({ state }) => NOT_SENT.has(state))
    .map(({ facts }) => facts['planned'] as Operation)
    .filter(planned => sends(planned) && !isApproved(planned, approvals))
  if (lacking.length === 0) return undefined
  if (approvals.length === 0) return 'an approval'
  return (
    `an approval of ${lacking.length} guarded ` +
    (lacking.length === 1 ? 'operation' : 'operations')
  )
}

export function describePlan(remembered: RememberedPlan, nowMs: number): PlanDocument {
  const { plan, facts, approvals } = remembered
  const stores = facts.stores.map(store => describeStore(remembered, store, nowMs))
  return {
    plan: plan.plan,
    hash: plan.hash,
    kind: facts.kind,
    of: facts.of,
    entity: facts.entity,
    state: stateOf(remembered, stores),
    file: facts.file,
    files: facts.files,
    approvals: approvals.map(({ by, at, hash, facts: { guarded } }) => ({
      by,
      at,
      hash,
      guarded: (guarded as string[] | undefined) ?? [],
    })),
    stores,
  }
}

const STILL_OPEN: ReadonlySet<ShownState> = new Set(['planned', 'approved', 'waiting', 'unknown'])

function describeStore(
  remembered: RememberedPlan,
  planned: PlanFacts['stores'][number],
  nowMs: number,
): ShownStore {
  const operations = remembered.operations
    .filter(operation => operation.planned.store === planned.store)
    .map(operation => describeOperation(remembered, operation, nowMs))
  const error = planned.error ?? failureOf(remembered, planned.store)
  return {
    store: planned.store,
    state: error === null ? storeState(remembered, operations) : 'failed',
    error,
    counts: planned.counts,
    requests: planned.requests,
    operations,
  }
}

function storeState(
  { events }: RememberedPlan,
  operations: readonly ShownOperation[],
): ShownStore['state'] {
  if (events.some(({ event }) => event === STOPPED)) return 'stopped'
  const wasApplied = events.some(({ event }) => event === APPLIED)
  return wasApplied && !operations.some(({ state }) => STILL_OPEN.has(state))
    ? 'applied'
    : 'planned'
}

/** Why the last apply could not go on with a store; a later apply takes it back. */
function failureOf({ events }: RememberedPlan, store: string): ShownStore['error'] {
  const last = events.findLast(
    ({ event, detail }) =>
      event === APPLIED || (event === STORE_FAILED && detail.startsWith(`${store} `)),
  )
  if (last?.event !== STORE_FAILED) return null
  const [, code = '', message = ''] = /^\S+ (\S+) ([^]*)$/.exec(last.detail) ?? []
  return { code, message }
}

const SHOWN: Readonly<Partial<Record<OperationState, ShownState>>> = {
  submitted: 'unknown',
  confirmed: 'applied',
  unknown: 'unknown',
  rejected: 'failed',
  stale: 'stale',
  unchanged: 'noop',
  abandoned: 'failed',
}

/** Steps that end in something that is not as planned, or was put off; their detail says why. */
const EXPLAINED: ReadonlySet<ShownState> = new Set(['stale', 'failed', 'unknown'])

function describeOperation(
  { approvals, events, receipts }: RememberedPlan,
  { planned, stands }: RememberedPlan['operations'][number],
  nowMs: number,
): ShownOperation {
  const state = shownState(planned, stands, approvals, {
    nowMs,
    wasApplied: events.some(({ event }) => event === APPLIED),
  })
  const explains = EXPLAINED.has(state) || (state === 'approved' && stands.attempt > 0)
  const said = events.findLast(({ op, detail }) => op === planned.id && detail !== '')
  const receipt = receipts.find(({ op }) => op === planned.id)
  return {
    id: planned.id,
    entity: planned.entity,
    op: planned.op,
    row: planned.row,
    externalId: planned.externalId,
    targetId: (stands.facts['targetId'] as string | undefined) ?? planned.targetId,
    match: planned.match,
    changes: planned.changes.map(change => ({
      field: change.field,
      old: change.old,
      new: change.new,
    })),
    flags: planned.flags,
    approval: approvalOf(planned, approvals),
    dependsOn: planned.dependsOn,
    effectiveAt: planned.effectiveAt,
    reason: planned.reason,
    state,
    error: explains ? (said?.detail ?? null) : null,
    receipt: receipt === undefined ? null : describeReceipt(receipt),
  }
}

function approvalOf(
  planned: Operation,
  approvals: readonly Approval[],
): ShownOperation['approval'] {
  if (!needsApproval(planned)) return 'none'
  return guardedBy(approvals).has(planned.id) ? 'given' : 'required'
}

function describeReceipt({ body }: StoredReceipt): ShownOperation['receipt'] {
  const { before, sent, after, at, approved_by: by } = parseExact(body) as JsonRecord
  return { before, sent, after, at: String(at), by: String(by) }
}

export function shownState(
  planned: Operation,
  stands: OutboundOperation,
  approvals: readonly Approval[],
  { nowMs, wasApplied }: { nowMs: number; wasApplied: boolean },
): ShownState {
  if (planned.op === 'noop' || planned.op === 'conflict' || planned.op === 'blocked')
    return planned.op
  const known = SHOWN[stands.state]
  if (known !== undefined) return known
  if (!isApproved(planned, approvals)) return 'planned'
  return wasApplied && isAhead(planned, nowMs) ? 'waiting' : 'approved'
}

export const isAhead = ({ effectiveAt }: Operation, nowMs: number): boolean =>
  effectiveAt !== null && Date.parse(effectiveAt) > nowMs

function stateOf(
  { approvals, events }: RememberedPlan,
  stores: readonly ShownStore[],
): PlanDocument['state'] {
  const operations = stores.flatMap(store => store.operations)
  if (events.some(({ event }) => event === STOPPED)) return 'stopped'
  if (approvals.length === 0) return 'planned'
  if (!events.some(({ event }) => event === APPLIED)) return 'approved'
  const sent = operations.filter(sends)
  if (sent.some(({ state }) => state === 'waiting')) return 'waiting'
  const done = (state: ShownState): boolean => state === 'applied' || state === 'noop'
  return sent.every(({ state }) => done(state)) ? 'applied' : 'incomplete'
}
