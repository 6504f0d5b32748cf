/** What a plan is made of. Values are texts as the file writes them; null is nothing. */

/** Which catalog a file is. */
export const CATALOGS = ['products', 'vendors'] as const
export type Catalog = (typeof CATALOGS)[number]

/** Whose record an operation writes: brands and categories are created for products. */
export type Entity = Catalog | 'brands' | 'categories'

export const OPERATION_KINDS = [
  'create',
  'update',
  'deactivate',
  'reactivate',
  'noop',
  'conflict',
  'blocked',
] as const
export type OperationKind = (typeof OPERATION_KINDS)[number]

export const MATCH_METHODS = ['target_id', 'external_id', 'import_id', 'sku'] as const
export type MatchMethod = (typeof MATCH_METHODS)[number]

/** One place of the API's record, and what shall stand there. */
export interface Edit {
  path: readonly string[]
  /** JSON text; null takes the field away. */
  to: string | null
  /** Instead of `to`: the id of the record that another operation of the plan creates. */
  idOf?: string | undefined
  /** Instead of `to`: pictures, which are uploaded first. */
  images?: readonly Image[] | undefined
}

export interface Image {
  /** Absolute. */
  path: string
  name: string
  sha256: string
}

export interface Change {
  /** The column of the file. */
  field: string
  old: string | null
  new: string | null
  edits: readonly Edit[]
}

export interface Operation {
  id: string
  store: string
  entity: Entity
  op: OperationKind
  /** Row of the file; null where no row asked for it. */
  row: number | null
  externalId: string
  /** What people call the record: as it is in the API, or as the file has it. */
  name: string
  targetId: string | null
  match: MatchMethod | null
  changes: readonly Change[]
  flags: readonly Flag[]
  /** Operations that must be applied before this one. */
  dependsOn: readonly string[]
  /** Local time of the store with its offset; null = at once. */
  effectiveAt: string | null
  reason: string | null
  /** The record as the plan saw it; null where there was none. */
  base: { modified: string | null; hash: string } | null
  /** Of a creation: the stock keeping unit it can be found by. */
  sku?: string
}

/** Columns of a price, which people look at first. */
export const PRICES: ReadonlySet<string> = new Set(['unit_price', 'sales_price', 'purchase_price'])

/** These need an approval of their own. */
export const GUARDS = [
  'price_change',
  'price_zero',
  'price_below_cost',
  'unit_change',
  'deactivate_stocked',
  'tax_change',
  'cannabis_change',
  'arms_length_change',
  'missing_from_file',
  'new_brand',
  'new_category',
] as const

/** These are only said. */
export const WARNINGS = ['late', 'dst_gap', 'dst_fold', 'license_expired'] as const

export const FLAGS = [...GUARDS, ...WARNINGS] as const
export type Flag = (typeof FLAGS)[number]

const GUARDED: ReadonlySet<string> = new Set(GUARDS)

export const needsApproval = ({ op, flags }: Pick<Operation, 'op' | 'flags'>): boolean =>
  sends({ op }) && flags.some(flag => GUARDED.has(flag))

/** Whether an operation of this kind writes to the API at all. */
export const sends = ({ op }: Pick<Operation, 'op'>): boolean =>
  op === 'create' || op === 'update' || op === 'deactivate' || op === 'reactivate'

export type Counts = Record<OperationKind, number>

export const countOperations = (operations: readonly Pick<Operation, 'op'>[]): Counts => {
  const counts: Counts = {
    create: 0,
    update: 0,
    deactivate: 0,
    reactivate: 0,
    noop: 0,
    conflict: 0,
    blocked: 0,
  }
  for (const { op } of operations) counts[op]++
  return counts
}
