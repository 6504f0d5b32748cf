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

export const PLAN_FORMATS = ['jsonl', 'csv', 'html'] as const

/** One of a plan's files: `plan.jsonl`, which decides, and two for people. */
export interface PlanFile {
  format: (typeof PLAN_FORMATS)[number]
  sha256: string
}

/** What is shown of a plan besides its operations. It never changes, and decides nothing. */
export interface PlanFacts {
  kind: 'push' | 'undo'
  /** The plan that an undo takes back. */
  of: string | null
  entity: Catalog
  file: { path: string; sha256: string; rows: number }
  stores: readonly PlannedStore[]
  files: readonly PlanFile[]
}

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
