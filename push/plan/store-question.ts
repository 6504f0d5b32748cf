import type { Row } from '../input/rows.ts'
import type { LiveCatalog } from '../live.ts'
import type { Catalog } from '../operation.ts'
import type { DiffContext } from './diff.ts'

/** What may be created where rows refer to it. */
export const CREATABLE = ['brands', 'categories'] as const
export type CreatableEntity = (typeof CREATABLE)[number]

/** Everything that a store's part of a plan follows from. */
export interface StoreQuestion {
  store: string
  catalog: Catalog
  rows: readonly Row[]
  live: LiveCatalog
  timeZone: string
  nowMs: number
  /** What may be created where rows refer to it. */
  create: readonly CreatableEntity[]
  deactivateMissing: boolean
  assetOf: DiffContext['assetOf']
  /** Numbers the operations of the whole plan. */
  nextId(): string
}
