import type { RunKind } from './runs.ts'

/**
 * What was given to Temporal last, kept so that `status` can tell what is due without a server.
 * `Facts` is a schedule's settings, in the words of tillage.yaml; it is kept as JSON.
 */
export interface StoredSchedule<Facts = unknown> {
  id: string
  kind: RunKind
  store: string
  facts: Facts
  /** Due at these times since then; what was due before is not held against it. */
  since: string
  pausedAt: string | undefined
  note: string | undefined
}

export interface Schedules {
  /** Ordered by id. */
  all(): Promise<StoredSchedule[]>
  /** Inserts or replaces it by its id, `since` included. Safe to call again. */
  keep(schedule: StoredSchedule): Promise<void>
  /** Pauses it, or resumes it where `pausedAt` is undefined. Safe to call again. */
  pause(id: string, pausedAt: string | undefined, note: string | undefined): Promise<void>
  /** Safe to call again, and for one that is not there. */
  forget(id: string): Promise<void>
}
