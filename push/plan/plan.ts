import { needsApproval } from '../operation.ts'
import type { Catalog, Counts, Operation } from '../operation.ts'

/** A store's part of a plan, without its operations. */
export interface PlannedStore {
  store: string
  timeZone: string | null
  /** Why it could not be planned; the other stores were. */
  error: { code: string; message: string } | null
  counts: Counts
  requests: { expected: number; seconds: number }
}

export interface PlanFile {
  /** Absolute. */
  path: string
  format: 'jsonl' | 'csv' | 'html'
  sha256: string
}

/** What a plan is, besides its operations. It never changes. */
export interface PlanFacts {
  kind: 'push' | 'undo'
  /** The plan that an undo takes back. */
  of: string | null
  entity: Catalog
  file: { path: string; sha256: string; rows: number }
  stores: readonly PlannedStore[]
  files: readonly PlanFile[]
}

/** The columns of plan.jsonl and plan.csv: what is approved, without what changes later. */
export const PLAN_COLUMNS = [
  'plan_id',
  'op_id',
  'store',
  'entity',
  'op',
  'row_no',
  'match_method',
  'external_id',
  'target_id',
  'base_modified',
  'base_hash',
  'field',
  'old',
  'new',
  'flags',
  'risk',
  'effective_at',
  'depends_on',
  'approval',
] as const

export type PlanLine = Record<(typeof PLAN_COLUMNS)[number], string | number | null>

/** One line for each operation and field; one without a field where nothing would be written. */
export function planLines(plan: string, operations: readonly Operation[]): PlanLine[] {
  return operations.flatMap(operation => {
    const fields = operation.changes.map(change => ({
      field: change.field,
      old: change.old,
      new: change.new,
    }))
    const nothing = { field: null, old: null, new: null }
    return (fields.length === 0 ? [nothing] : fields).map(field => ({
      ...about(plan, operation),
      ...field,
    }))
  })
}

const about = (plan: string, operation: Operation): PlanLine => {
  const guarded = needsApproval(operation)
  return {
    plan_id: plan,
    op_id: operation.id,
    store: operation.store,
    entity: operation.entity,
    op: operation.op,
    row_no: operation.row,
    match_method: operation.match,
    external_id: operation.externalId,
    target_id: operation.targetId,
    base_modified: operation.base?.modified ?? null,
    base_hash: operation.base?.hash ?? null,
    field: null,
    old: null,
    new: null,
    flags: operation.flags.join(';'),
    risk: guarded ? 'high' : 'low',
    effective_at: operation.effectiveAt,
    depends_on: operation.dependsOn.join(';'),
    approval: guarded ? 'required' : 'n/a',
  }
}

/** plan.jsonl: the bytes that are hashed and approved. */
export const planJsonl = (plan: string, operations: readonly Operation[]): string =>
  planLines(plan, operations)
    .map(
      line =>
        `${JSON.stringify(Object.fromEntries(PLAN_COLUMNS.map(name => [name, line[name]])))}\n`,
    )
    .join('')

/**
 * Requests of an apply: an update is read, written and read again; a creation is looked for,
 * written and read again; one list is read before the first creation.
 */
export function expectRequests(
  operations: readonly Pick<Operation, 'op' | 'entity'>[],
  { listPages, perSecond }: { listPages: number; perSecond: number },
): PlannedStore['requests'] {
  const writes = operations.filter(({ op }) => !['noop', 'conflict', 'blocked'].includes(op))
  const creations = writes.filter(({ op }) => op === 'create')
  const expected = writes.length * 3 + (creations.length === 0 ? 0 : listPages)
  return { expected, seconds: Math.ceil(expected / perSecond) }
}
