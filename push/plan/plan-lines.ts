import type { Target } from '../../outbound/target.ts'
import { needsApproval } from '../operation.ts'
import type { Change, Edit, Operation } from '../operation.ts'

/** The columns of plan.csv, which plan.jsonl begins with: what people look at. */
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

/** What plan.jsonl says besides: all else that decides what goes out, and whereto. */
export interface SendingColumns {
  name: string
  /** Of this field: places of the record, and what shall stand there as JSON text. */
  edits: readonly Edit[]
  sku: string | null
  reason: string | null
  base_url: string
  company_id: string | null
  shop_id: string | null
}

/** By store: whom the operations of a plan are for. */
export type Targets = ReadonlyMap<string, Target>

/** One line for each operation and field; one without a field where nothing would be written. */
export const planLines = (plan: string, operations: readonly Operation[]): PlanLine[] =>
  operations.flatMap(operation => fieldsOf(operation).map(field => lineOf(plan, operation, field)))

type Field = Omit<Change, 'field'> & { field: string | null }
const NO_FIELD: Field = { field: null, old: null, new: null, edits: [] }
const NO_BASE = { modified: null, hash: null }

const fieldsOf = ({ changes }: Operation): readonly Field[] =>
  changes.length === 0 ? [NO_FIELD] : changes

function lineOf(plan: string, operation: Operation, { field, old, new: next }: Field): PlanLine {
  const guarded = needsApproval(operation)
  const { modified, hash } = operation.base ?? NO_BASE
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
    base_modified: modified,
    base_hash: hash,
    field,
    old,
    new: next,
    flags: operation.flags.join(';'),
    risk: guarded ? 'high' : 'low',
    effective_at: operation.effectiveAt,
    depends_on: operation.dependsOn.join(';'),
    approval: guarded ? 'required' : 'n/a',
  }
}

/** plan.jsonl: the bytes that are hashed and approved, and from which alone is sent. */
export const planJsonl = (
  plan: string,
  operations: readonly Operation[],
  targets: Targets,
): string =>
  operations
    .flatMap(operation =>
      fieldsOf(operation).map(field => ({
        ...lineOf(plan, operation, field),
        ...sendingColumns(operation, field, targets),
      })),
    )
    .map(line => `${JSON.stringify(line)}\n`)
    .join('')

function sendingColumns(
  { store, name, sku, reason }: Operation,
  { edits }: Field,
  targets: Targets,
): SendingColumns {
  const { baseUrl, companyId, shopId } = targets.get(store)!
  return {
    name,
    edits,
    sku: sku ?? null,
    reason,
    base_url: baseUrl,
    company_id: companyId,
    shop_id: shopId,
  }
}
