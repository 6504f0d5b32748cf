import type { StoredReceipt } from '../../connectors/destination/outbound.ts'
import { TillageError, UsageError } from '../../errors.ts'
import { canBeRead, getRecord } from '../api.ts'
import { contentHash, contentOf, sameJson } from '../content.ts'
import type { RememberedPlan } from '../document.ts'
import { parseExact, valueAt } from '../exact-json.ts'
import type { JsonRecord } from '../exact-json.ts'
import { findPlan, loadPlan } from '../find-plan.ts'
import { liveList } from '../live.ts'
import type { LiveCatalog, LiveList } from '../live.ts'
import { countOperations } from '../operation.ts'
import type { Change, Edit, Operation } from '../operation.ts'
import { findFlags } from '../plan/guards.ts'
import { savePlan } from '../plan/make-plan.ts'
import type { StorePart } from '../plan/make-plan.ts'
import { baseOf, kindOf } from '../plan/plan-store.ts'
import { expectRequests } from '../plan/plan.ts'
import type { PlannedStore } from '../plan/plan.ts'
import type { Push } from '../push.ts'
import { readList } from '../read-list.ts'
import { finishReceipts } from './receipts.ts'

/** Makes the inverse of what a plan has applied, out of its receipts. Sends nothing. */
export async function planUndo(push: Push, named: string, signal: AbortSignal): Promise<string> {
  const plan = await findPlan(push, named)
  await finishReceipts(push, await loadPlan(push, plan))
  const remembered = await loadPlan(push, plan)
  if (remembered.receipts.length === 0)
    throw new UsageError(
      `nothing of ${plan.plan} was applied, so there is nothing to undo`,
      'tillage push show says how far it is.',
    )
  let next = 0
  const nextId = (): string => `op-${++next}`
  const parts: StorePart[] = []
  for (const store of remembered.facts.stores)
    parts.push(await undoStore(push, remembered, { store, nextId, signal }))
  return savePlan(push, {
    kind: 'undo',
    of: plan.plan,
    entity: remembered.facts.entity,
    file: { path: plan.path, sha256: plan.hash, rows: remembered.receipts.length },
    parts,
  })
}

interface Undoing {
  store: PlannedStore
  nextId(): string
  signal: AbortSignal
}

interface Applied {
  planned: Operation
  before: JsonRecord | null
  after: JsonRecord
}

async function undoStore(
  push: Push,
  remembered: RememberedPlan,
  undoing: Undoing,
): Promise<StorePart> {
  const { store } = undoing
  const applied = remembered.receipts
    .map(receipt => appliedOf(remembered, receipt))
    .filter(({ planned }) => planned.store === store.store)
  try {
    const operations = await undoOperations(push, undoing, applied)
    const perSecond = Math.min(push.store(store.store).settings.limits.requestsPerSecond, 20)
    const requests = expectRequests(operations, { listPages: 0, perSecond })
    const counts = countOperations(operations)
    return { operations, planned: { ...store, error: null, counts, requests } }
  } catch (error) {
    if (!(error instanceof TillageError)) throw error
    const { code, message } = error
    return {
      operations: [],
      planned: { ...store, error: { code, message }, counts: countOperations([]) },
    }
  }
}

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
  push: Push,
  { store, nextId, signal }: Undoing,
  applied: readonly Applied[],
): Promise<Operation[]> {
  const { client, governor, endpoint } = push.store(store.store)
  const lists = new Map<Operation['entity'], Promise<LiveList>>()
  const listOf = (entity: Operation['entity']): Promise<LiveList> => {
    const known =
      lists.get(entity) ?? readList({ client, governor, endpoint }, push.streams[entity], signal)
    lists.set(entity, known)
    return known
  }
  const read = async ({ planned, after }: Applied): Promise<JsonRecord | undefined> => {
    const id = String(after['id'])
    return canBeRead(planned.entity)
      ? governor.run(() => getRecord(client, planned.entity, id, signal))
      : (await listOf(planned.entity)).byId.get(id)
  }
  const moved = applied.some(({ planned }) =>
    planned.changes.some(({ field }) => field === 'category_external_id'),
  )
  const categories = moved ? await listOf('categories') : liveList([])
  const now = await Promise.all(applied.map(read))
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
    ...planned,
    id,
    op: 'noop',
    targetId: String(after['id']),
    match: 'target_id',
    changes: [],
    flags: [],
    dependsOn: [],
    effectiveAt: null,
    reason: null,
    base: now === undefined ? null : baseOf(now),
  }
  if (now === undefined)
    return { ...start, op: 'conflict', reason: 'the record is not there any more' }
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
