/**
 * Whether what was due has happened, and whether it will in time (INV-11). A pure decision over
 * what the database holds, so that it needs no server, and also covers a run whose worker has died.
 */

/** One run of a schedule, as the database remembers it. */
export interface RunFacts {
  startedMs: number
  finishedMs: number | undefined
  outcome: 'running' | 'done' | 'failed'
}

export interface Due {
  /** When it should start. */
  dueMs: number
  deadlineMs: number | undefined
  run: RunFacts | undefined
  paused: boolean
}

/**
 * - `waiting`: its time has not come. `running`, `done`, `done late`, `failed`.
 * - `at risk`: not done, and what is left until the deadline is less than such runs usually take.
 * - `missed`: the deadline has passed and it is not done.
 * - `not started`: its time has come and gone. `paused`: the same, or its time has not come,
 *   because somebody paused it.
 * - `stuck`: it has been running for longer than any run may.
 */
export type Standing =
  | 'waiting'
  | 'running'
  | 'done'
  | 'done late'
  | 'failed'
  | 'at risk'
  | 'missed'
  | 'not started'
  | 'paused'
  | 'stuck'

/** A start may be late by its jitter, and by a busy server. */
const START_GRACE_MS = 10 * 60_000
/** Longer than a night may wait for its proof (`workflows/nightly.ts`). */
const LONGEST_RUN_MS = 24 * 3_600_000

export function standingOf(
  { dueMs, deadlineMs, run, paused }: Due,
  nowMs: number,
  estimateMs: number,
): Standing {
  if (run?.outcome === 'done')
    return deadlineMs !== undefined && run.finishedMs! > deadlineMs ? 'done late' : 'done'
  if (deadlineMs !== undefined && nowMs > deadlineMs) return 'missed'
  if (run?.outcome === 'failed') return 'failed'
  if (paused && run === undefined) return 'paused'
  if (run === undefined && nowMs > dueMs + START_GRACE_MS) return 'not started'
  if (deadlineMs !== undefined && deadlineMs - Math.max(nowMs, dueMs) < estimateMs) return 'at risk'
  if (run === undefined) return 'waiting'
  return nowMs - run.startedMs > LONGEST_RUN_MS ? 'stuck' : 'running'
}

/** Due, and did not happen. */
export function isOverdue(
  standing: Standing,
  { dueMs }: Pick<Due, 'dueMs'>,
  nowMs: number,
): boolean {
  return (
    ['missed', 'failed', 'not started', 'stuck'].includes(standing) ||
    (standing === 'paused' && nowMs > dueMs + START_GRACE_MS)
  )
}

const FIRST_ESTIMATE_MS = 10 * 60_000

/** How long the next one will take: as long as the longest of the last few, plus a margin. */
export function estimateMs(tookMs: readonly number[]): number {
  return tookMs.length === 0
    ? FIRST_ESTIMATE_MS
    : Math.max(60_000, Math.max(...tookMs.slice(0, 7)) * 1.5)
}
