import { join } from 'node:path'
import { toIso } from '../calendar/days.ts'
import { guardedBy } from '../connectors/destination/outbound.ts'
import type {
  OperationState,
  OutboundEvent,
  OutboundOperation,
  StoredReceipt,
} from '../connectors/destination/outbound.ts'
import { approversOf } from '../outbound/approval.ts'
import { openRequests } from '../outbound/ask-changes.ts'
import type { ChangeRequest } from '../outbound/ask-changes.ts'
import { isDiscarded, OPERATION_DISCARDED } from '../outbound/discard.ts'
import { NOT_SENT } from '../outbound/operation-states.ts'
import { isAllowed, judgeStanding } from '../outbound/remembered.ts'
import { isPerhapsOurs, PERHAPS_OURS, restoredMsOf } from '../outbound/restored.ts'
import { reachedItsEnd } from '../outbound/run.ts'
import type { Interrupted, Runner } from '../outbound/run.ts'
import type { PlanStanding } from '../outbound/waiting-plans.ts'
import { parseExact } from '../text/exact-json.ts'
import type { JsonRecord } from '../text/exact-json.ts'
import { needsReceipt } from './apply/receipts.ts'
import { lastSaidOf, loadPlan, planFolder } from './load-plan.ts'
import type { RememberedPlan } from './load-plan.ts'
import { needsApproval, sends } from './operation.ts'
import type { Counts, Entity, Operation } from './operation.ts'
import type { PlanFacts, PlanFile } from './plan/plan.ts'
import type { Push } from './push.ts'

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
  name: string
  targetId: string | null
  match: Operation['match']
  changes: { field: string; old: string | null; new: string | null }[]
  flags: Operation['flags']
  approval: 'none' | 'required' | 'given'
  dependsOn: readonly string[]
  effectiveAt: string | null
  reason: string | null
  state: ShownState
  /** A person gave it up: it has `failed`, and the API has refused nothing. */
  discarded: boolean
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
  state:
    | 'planned'
    | 'approved'
    | 'waiting'
    | 'applied'
    | 'incomplete'
    | 'stopped'
    | 'undo planned'
    | 'undone'
    | 'discarded'
  /** The plan that undoes it, or will: nothing more of it is sent, unless that one is given up. */
  undoneBy: string | null
  /** Where the process of the last apply died in the middle of it. */
  interrupted: Interrupted | null
  file: PlanFacts['file']
  files: (PlanFile & { path: string })[]
  approvals: { by: string; at: string; hash: string; guarded: string[] }[]
  /** Who wants it otherwise: until they take that back, no approval counts. */
  changesAsked: ChangeRequest[]
  stores: ShownStore[]
}

/** Events of a whole plan that decide how it is shown. */
export const APPLIED = 'applied'
export const STOPPED = 'stopped'
export const STORE_FAILED = 'store failed'

/** Why a push goes no further without somebody; one that was undone is over. */
export function standingOf(
  remembered: RememberedPlan,
  at: { runner: Runner; nowMs: number },
): PlanStanding {
  if (remembered.inverse !== null) return { missingApproval: undefined, interrupted: undefined }
  const { operations } = remembered
  const sending = operations.filter(({ planned }) => sends(planned)).map(({ stands }) => stands)
  const standing = judgeStanding(remembered, sending, needsReceipt, at)
  const isLeft = sending.some(({ state }) => NOT_SENT.has(state))
  const stopped = stopOf(remembered) ?? lastFailed(remembered) ?? standing.stopped
  return {
    ...standing,
    stopped: isLeft ? stopped : undefined,
    overdue: overdueOf(remembered, at.nowMs),
  }
}

/** Too many writes went wrong, so nothing more of it is ever sent. */
function stopOf({ events }: RememberedPlan): PlanStanding['stopped'] {
  const stop = events.find(({ event }) => event === STOPPED)
  return stop && { detail: stop.detail, at: stop.at }
}

/** The newest store that the last apply could not go on with; a later apply takes it back. */
function lastFailed({ events }: RememberedPlan): PlanStanding['stopped'] {
  const last = events.findLast(({ event }) => event === APPLIED || event === STORE_FAILED)
  return last?.event === STORE_FAILED ? { detail: last.detail, at: last.at } : undefined
}

/** Whoever sends what is due looks each few minutes, and what is under way takes a while. */
const OVERDUE_AFTER_MS = 20 * 60_000

/** Rows whose time came, that may be sent without anybody, and that nobody sends. */
function overdueOf(remembered: RememberedPlan, nowMs: number): PlanStanding['overdue'] {
  if (!reachedItsEnd(remembered.runs)) return undefined
  const times = timedRows(remembered, nowMs)
    .map(({ effectiveAt }) => Date.parse(effectiveAt!))
    .filter(ms => nowMs - ms > OVERDUE_AFTER_MS)
  if (times.length === 0) return undefined
  const detail = times.length === 1 ? '1 row' : `${times.length} rows`
  return { detail, at: toIso(Math.min(...times)) }
}

/** Rows of a time of their own that are allowed, with all that they need, and not sent yet. */
export function timedRows(remembered: RememberedPlan, nowMs: number): Operation[] {
  const known = new Map(remembered.operations.map(one => [one.planned.id, one]))
  const mayGo = ({ planned, stands }: RememberedPlan['operations'][number]): boolean =>
    stands.state === 'planned' &&
    sends(planned) &&
    isAllowed(remembered, nowMs, planned.id) &&
    planned.dependsOn.every(id => {
      const needed = known.get(id)
      return needed !== undefined && (needed.stands.state === 'confirmed' || mayGo(needed))
    })
  return remembered.operations
    .filter(one => one.planned.effectiveAt !== null && mayGo(one))
    .map(({ planned }) => planned)
}

/** A plan by its id or path, as commands answer it. */
export const showPlan = async (push: Push, named: string): Promise<PlanDocument> =>
  describePlan(push, await loadPlan(push, named))

export function describePlan(
  { now, runner, folder }: Pick<Push, 'now' | 'runner' | 'folder'>,
  remembered: RememberedPlan,
): PlanDocument {
  const { plan, facts, approvals, events } = remembered
  const nowMs = now()
  const stores = facts.stores.map(store => describeStore(remembered, store, nowMs))
  return {
    plan: plan.plan,
    hash: plan.hash,
    kind: facts.kind,
    of: facts.of,
    entity: facts.entity,
    state: stateOf(remembered, stores, nowMs),
    undoneBy: remembered.inverse?.plan ?? null,
    interrupted: standingOf(remembered, { runner, nowMs }).interrupted ?? null,
    file: facts.file,
    files: facts.files.map(({ format, sha256 }) => ({
      path: join(planFolder(folder, plan.plan), `plan.${format}`),
      format,
      sha256,
    })),
    approvals: approvals.map(approval => ({
      by: approval.by,
      at: approval.at,
      hash: approval.hash,
      guarded: [...guardedBy(approval)],
    })),
    changesAsked: openRequests(events),
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
  remembered: RememberedPlan,
  operations: readonly ShownOperation[],
): ShownStore['state'] {
  if (hasStopped(remembered, operations)) return 'stopped'
  const wasApplied = remembered.events.some(({ event }) => event === APPLIED)
  return wasApplied && !operations.some(({ state }) => STILL_OPEN.has(state))
    ? 'applied'
    : 'planned'
}

/** One of which everything showed after all has only been slow. */
const hasStopped = (remembered: RememberedPlan, operations: readonly ShownOperation[]): boolean =>
  stopOf(remembered) !== undefined && !isDone(operations)

/** Whether all that is to be sent is there. */
const isDone = (operations: readonly ShownOperation[]): boolean =>
  operations.filter(sends).every(({ state }) => state === 'applied' || state === 'noop')

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
  remembered: RememberedPlan,
  { planned, stands }: RememberedPlan['operations'][number],
  nowMs: number,
): ShownOperation {
  const { events, receipts } = remembered
  const state = shownState(remembered, { planned, stands }, nowMs)
  const explains = EXPLAINED.has(state) || (state === 'approved' && stands.attempt > 0)
  const said = lastSaidOf(remembered, planned.id)
  const receipt = receipts.find(({ op }) => op === planned.id)
  return {
    id: planned.id,
    entity: planned.entity,
    op: planned.op,
    row: planned.row,
    externalId: planned.externalId,
    name: planned.name,
    targetId: (stands.facts['targetId'] as string | undefined) ?? planned.targetId,
    match: planned.match,
    changes: planned.changes.map(change => ({
      field: change.field,
      old: change.old,
      new: change.new,
    })),
    flags: planned.flags,
    approval: approvalOf(remembered, planned, nowMs),
    dependsOn: planned.dependsOn,
    effectiveAt: planned.effectiveAt,
    reason: planned.reason ?? foundBefore(stands, said) ?? perhapsOurs(stands, events),
    state,
    discarded: isGivenUp(remembered, planned),
    error: explains ? describeWhy(said) : null,
    receipt: receipt === undefined ? null : describeReceipt(receipt),
  }
}

const isGivenUp = ({ events }: RememberedPlan, { id }: Operation): boolean =>
  events.some(({ op, event }) => op === id && event === OPERATION_DISCARDED)

function describeWhy(said: OutboundEvent | undefined): string | null {
  if (said === undefined) return null
  return said.event === OPERATION_DISCARDED
    ? `${said.by} discarded it: ${said.detail}`
    : said.detail
}

/** That it was there before we sent it; null where we did. */
const foundBefore = (
  { state, facts }: OutboundOperation,
  said: OutboundEvent | undefined,
): string | null =>
  state === 'confirmed' && facts['after'] === undefined && said?.event === 'found'
    ? said.detail
    : null

const perhapsOurs = (stands: OutboundOperation, events: readonly OutboundEvent[]): string | null =>
  isPerhapsOurs(stands, restoredMsOf(events)) ? PERHAPS_OURS : null

function approvalOf(
  { rules, approvals }: RememberedPlan,
  planned: Operation,
  nowMs: number,
): ShownOperation['approval'] {
  if (!needsApproval(planned)) return 'none'
  return approversOf(rules, approvals, nowMs, planned.id).length > 0 ? 'given' : 'required'
}

function describeReceipt({ body }: StoredReceipt): ShownOperation['receipt'] {
  const { before, sent, after, at, approved_by: by } = parseExact(body) as JsonRecord
  return { before, sent, after, at: String(at), by: String(by) }
}

function shownState(
  remembered: RememberedPlan,
  { planned, stands }: { planned: Operation; stands: OutboundOperation },
  nowMs: number,
): ShownState {
  if (planned.op === 'noop' || planned.op === 'conflict' || planned.op === 'blocked')
    return planned.op
  const known = SHOWN[stands.state]
  if (known !== undefined) return known
  if (remembered.inverse !== null || !isAllowed(remembered, nowMs, planned.id)) return 'planned'
  const wasApplied = remembered.events.some(({ event }) => event === APPLIED)
  return wasApplied && isAhead(planned, nowMs) ? 'waiting' : 'approved'
}

/** From when on it counts, to the minute of the store's own time; undefined: at once. */
export const effectiveMinute = ({
  effectiveAt,
}: Pick<Operation, 'effectiveAt'>): string | undefined =>
  effectiveAt?.slice(0, 16).replace('T', ' ')

export const isAhead = ({ effectiveAt }: Operation, nowMs: number): boolean =>
  effectiveAt !== null && Date.parse(effectiveAt) > nowMs

function stateOf(
  remembered: RememberedPlan,
  stores: readonly ShownStore[],
  nowMs: number,
): PlanDocument['state'] {
  const { events, inverse } = remembered
  const operations = stores.flatMap(store => store.operations)
  if (inverse !== null) return inverse.isOnlyPlanned ? 'undo planned' : 'undone'
  if (isDiscarded(events)) return 'discarded'
  if (hasStopped(remembered, operations)) return 'stopped'
  if (!isAllowed(remembered, nowMs)) return 'planned'
  if (!events.some(({ event }) => event === APPLIED)) return 'approved'
  if (operations.filter(sends).some(({ state }) => state === 'waiting')) return 'waiting'
  if (stores.some(({ error }) => error !== null)) return 'incomplete'
  return isDone(operations) ? 'applied' : 'incomplete'
}
