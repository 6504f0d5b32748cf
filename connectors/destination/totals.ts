import type { OperationState, OutboundPlan } from './outbound.ts'
import type { MergeCounts } from './windows.ts'

/** Readings of one stream of one store since another reading, added up. */
export interface ReadingTotal extends MergeCounts {
  store: string
  stream: string
  status: 'proven' | 'unproven' | 'replayed' | 'looked_up' | 'evicted'
  readings: number
  duplicate: number
}

/** What is counted for those who watch from outside. */
export interface Totals {
  /** Of readings after a number, and the number of the newest. */
  readings(after: number): Promise<{ totals: ReadingTotal[]; newest: number }>
  /** Nights that are over, as far as runs are kept. */
  nights(): Promise<{ store: string; outcome: 'done' | 'failed'; nights: number }[]>
  deadLetters(): Promise<{ store: string; stream: string; letters: number }[]>
  /** Operations of plans in one state, of all stores. */
  operations(state: OperationState): Promise<{ kind: OutboundPlan['kind']; operations: number }[]>
  /** With what waits beside the database to be taken into it. */
  bytes(): Promise<number>
  /** That are left where the database is, where that can be asked. */
  freeBytes(): Promise<number | undefined>
}
