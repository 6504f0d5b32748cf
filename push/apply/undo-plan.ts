import type { StoredReceipt } from '../../connectors/destination/outbound.ts'
import { TillageError, UsageError } from '../../errors.ts'
import { receiptsFolder } from '../../outbound/receipt.ts'
import {
  isPerhapsOurs,
  mayBeSentElsewhere,
  PERHAPS_OURS,
  restoredMsOf,
} from '../../outbound/restored.ts'
import { inRun } from '../../outbound/run.ts'
import { targetOf } from '../../outbound/target.ts'
import { parseExact, sameJson, valueAt } from '../../text/exact-json.ts'
import type { JsonRecord } from '../../text/exact-json.ts'
import { contentHash, contentOf } from '../content.ts'
import { liveList, otherKey } from '../live.ts'
import type { LiveCatalog, LiveList } from '../live.ts'
import { lastSaidOf, loadPlan } from '../load-plan.ts'
import type { RememberedPlan } from '../load-plan.ts'
import { countOperations } from '../operation.ts'
import type { Change, Edit, Operation } from '../operation.ts'
import { findFlags } from '../plan/guards.ts'
import { newPlanId, savePlan } from '../plan/make-plan.ts'
import type { StorePart } from '../plan/make-plan.ts'
import { baseOf, kindOf } from '../plan/plan-store.ts'
import { expectRequests } from '../plan/plan.ts'
import type { PlannedStore } from '../plan/plan.ts'
import type { Push } from '../push.ts'
import { createReader } from '../read-list.ts'
import type { PlanRun } from './sending.ts'
import { settleStore } from './settle-plan.ts'

/**
 * Makes the inverse of what a plan has applied, out of its receipts, and ends it: nothing of it is
 * sent any more. What may have been sent is searched for first; nothing is sent here. Answers the
 * id of the inverse.
 */
export async function planUndo(push: Push, named: string, signal: AbortSignal): Promise<string> {
  const { plan } = (await loadPlan(push, named)).plan
  const place = { store: push.outbound, runner: push.runner, now: push.now }
  return inRun(place, { plan, act: 'undo' }, run => undo(push, { plan, run }, signal))
}

async function undo(
  push: Push,
  { plan, run }: { plan: string; run: string },
  signal: AbortSignal,
): Promise<string> {
  const remembered = await loadPlan(push, plan)
  let next = 0
  const nextId = (): string => `op-${++next}`
  const parts: StorePart[] = []
  for (const store of remembered.facts.stores)
    parts.push(await undoStore({ push, remembered, run, signal }, { store, nextId }))
  const settled = await loadPlan(push, plan)
  const { receipts } = settled
  if (!mayHaveSent(settled) && parts.every(({ planned }) => planned.error === null))
    throw restoredMsOf(settled.events) === undefined ? nothingToUndo(plan) : nothingKnown(settled)
  const inverse = newPlanId(push.now())
  await savePlan(push, inverse, {
    kind: 'undo',
    of: plan,
    entity: remembered.facts.entity,
    file: { path: remembered.path, sha256: remembered.plan.hash, rows: receipts.length },
    parts,
  })
  return inverse
}

const mayHaveSent = ({ receipts, operations }: RememberedPlan): boolean =>
  receipts.length > 0 ||
  operations.some(({ stands: { state } }) => state === 'confirmed' || state === 'unknown')

const nothingToUndo = (plan: string): UsageError =>
  new UsageError(
    `nothing of ${plan} was applied, so there is nothing to undo`,
    'tillage push show says how far it is.',
  )

/** Of a database that was restored, and its folders were not: they may know more. */
const nothingKnown = ({ plan: { plan }, path }: RememberedPlan): UsageError =>
  new UsageError(
    `the database was restored, or a standby took it over, and has no receipt of ${plan}: what was ` +
      'sent and is not in it cannot be undone by it',
    `Each receipt in ${receiptsFolder(path)} has the record as it was before: make a ` +
      'plan of those values (tillage push plan).',
  )

interface Undoing {
  store: PlannedStore
  nextId(): string
}

interface Applied {
  planned: Operation
  before: JsonRecord | null
  after: JsonRecord
}

async function undoStore(plan: PlanRun, undoing: Undoing): Promise<StorePart> {
  const { push, signal } = plan
  const { store } = undoing
  try {
    const settled = await settleStore(plan, store.store)
    const applied = settled.receipts
      .map(receipt => appliedOf(settled, receipt))
      .filter(({ planned }) => planned.store === store.store)
    const operations = [
      ...(await undoOperations(plan, undoing, applied)),
      ...withoutReceipt(settled, undoing),
    ]
    const perSecond = Math.min(push.store(store.store).settings.limits.requestsPerSecond, 20)
    const requests = expectRequests(operations, { listPages: 0, perSecond })
    const counts = countOperations(operations)
    const identity = await push.identify(store.store, signal)
    const target = targetOf(push.store(store.store).settings, identity)
    return { operations, target, planned: { ...store, error: null, counts, requests } }
  } catch (error) {
    if (!(error instanceof TillageError)) throw error
    const { code, message } = error
    return {
      operations: [],
      planned: { ...store, error: { code, message }, counts: countOperations([]) },
    }
  }
}

/** What was sent, or may have been, and nobody here knows how it was before: it stays. */
function withoutReceipt(remembered: RememberedPlan, { store, nextId }: Undoing): Operation[] {
  const known = new Set(remembered.receipts.map(({ op }) => op))
  return remembered.operations
    .filter(({ planned }) => planned.store === store.store && !known.has(planned.id))
    .flatMap(operation => {
      const reason = whyNotUndone(remembered, operation)
      if (reason === undefined) return []
      return [{ ...emptied(operation.planned, nextId()), op: 'conflict', reason }]
    })
}

/** Undefined: it was never sent from here. */
function whyNotUndone(
  remembered: RememberedPlan,
  { planned, stands }: RememberedPlan['operations'][number],
): string | undefined {
  const said = lastSaidOf(remembered, planned.id)?.detail
  if (stands.state === 'unknown')
    return `it is unknown whether ${planned.id} was sent: ${said ?? 'look at the record'}`
  if (stands.state === 'confirmed') return said
  const restoredMs = restoredMsOf(remembered.events)
  return isPerhapsOurs(stands, restoredMs) || mayBeSentElsewhere(stands, restoredMs)
    ? `${PERHAPS_OURS}; its receipt would be in ${receiptsFolder(remembered.path)}`
    : undefined
}

/** The same record, and nothing to be done about it. */
const emptied = (planned: Operation, id: string): Operation => ({
  ...planned,
  id,
  changes: [],
  flags: [],
  dependsOn: [],
  effectiveAt: null,
  reason: null,
  base: null,
})

function appliedOf({ operations }: RememberedPlan, { op, body }: StoredReceipt): Applied {
  const receipt = parseExact(body) as JsonRecord
  return {
    planned: operations.find(({ planned }) => planned.id === op)!.planned,
    before: receipt['before'] as JsonRecord | null,
    after: receipt['after'] as JsonRecord,
  }
}

/** Products before the brands and categories that were created for them. */
async function undoOperations(
  { push, signal }: PlanRun,
  { store, nextId }: Undoing,
  applied: readonly Applied[],
): Promise<Operation[]> {
  const { list, record } = createReader(push.store(store.store), push.streams, signal)
  const moved = applied.some(({ planned }) =>
    planned.changes.some(({ field }) => field === 'category_external_id'),
  )
  const categories = moved ? await list('categories') : liveList([])
  const now = await Promise.all(
    applied.map(({ planned, after }) => record(planned.entity, String(after['id']))),
  )
  const undone = new Map<string, Operation>()
  for (const [index, one] of [...applied.entries()].toReversed()) {
    const dependents = [...undone].filter(([id]) => dependsOn(applied, id, one.planned.id))
    const operation = undoOne(one, now[index], {
      id: nextId(),
      categories,
      nowMs: push.now(),
      dependents: dependents.map(([, operation]) => operation),
    })
    undone.set(one.planned.id, operation)
  }
  return [...undone.values()]
}

const dependsOn = (applied: readonly Applied[], id: string, on: string): boolean =>
  applied.some(({ planned }) => planned.id === id && planned.dependsOn.includes(on))

interface UndoContext {
  id: string
  categories: LiveList
  nowMs: number
  /** Inverses of what was built upon this one; they come first. */
  dependents: readonly Operation[]
}

function undoOne(
  { planned, before, after }: Applied,
  now: JsonRecord | undefined,
  { id, categories, nowMs, dependents }: UndoContext,
): Operation {
  const start: Operation = {
    ...emptied(planned, id),
    op: 'noop',
    targetId: String(after['id']),
    match: 'target_id',
    base: now === undefined ? null : baseOf(now),
  }
  if (now === undefined)
    return { ...start, op: 'conflict', reason: 'the record is not there any more' }
  const doubt = before === null ? doubtOf(planned, after) : undefined
  if (doubt !== undefined) return { ...start, op: 'conflict', reason: doubt }
  if (contentHash(now) !== contentHash(after))
    return { ...start, op: 'conflict', reason: editedSince(now, after) }
  const stuck = dependents.find(({ op }) => op === 'conflict' || op === 'blocked')
  if (stuck !== undefined)
    return { ...start, op: 'blocked', reason: `${stuck.externalId} refers to it and stays` }
  const changes =
    before === null ? [OUT_OF_USE] : planned.changes.map(change => inverse(change, before))
  const op = kindOf(changes)
  const live: LiveCatalog = { products: NONE, vendors: NONE, brands: NONE, categories }
  return {
    ...start,
    op,
    changes,
    dependsOn: dependents.filter(one => one.op !== 'noop').map(one => one.id),
    flags: findFlags({ op, record: now, changes, live, nowMs }),
  }
}

/** Why a receipt without a former record is none of a creation of ours; undefined: it is one. */
function doubtOf(planned: Operation, after: JsonRecord): string | undefined {
  // A person may say of a write that it was sent of which nothing was written down.
  if (planned.op !== 'create') return 'its receipt does not say what was there before'
  const key = otherKey(after, planned)
  return key === undefined ? undefined : `it has another ${key}, so we did not create it`
}

const NONE = liveList([])

/** There is no way to delete a product or a vendor: what was created goes out of use. */
const OUT_OF_USE: Change = {
  field: 'active',
  old: 'true',
  new: 'false',
  edits: [{ path: ['active'], to: 'false' }],
}

const inverse = (change: Change, before: JsonRecord): Change => ({
  field: change.field,
  old: change.new,
  new: change.old,
  edits: change.edits.map(edit => former(edit, before)),
})

/**
 * What stood there before; what was not there, or stood in something that was not, is gone again.
 */
function former({ path }: Edit, before: JsonRecord): Edit {
  for (let length = 1; length <= path.length; length++) {
    const part = path.slice(0, length)
    if (valueAt(before, part) === undefined) return { path: part, to: null }
  }
  return { path, to: JSON.stringify(valueAt(before, path)) }
}

function editedSince(now: JsonRecord, after: JsonRecord): string {
  const [one, other] = [contentOf(now), contentOf(after)]
  const fields = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    field => !sameJson(one[field] ?? null, other[field] ?? null),
  )
  return `somebody has edited it since: ${fields.join(', ')}`
}
