/**
 * Whether what was due has happened, and whether it will in time (INV-11). A pure decision over
 * what the database holds, so that it needs no server, and also covers a run whose worker has died.
 */

import { fromIso } from '../../calendar/days.ts'

/** One run of a schedule, as the database remembers it. */
export interface RunFacts {
  startedMs: number
  finishedMs: number | undefined
  outcome: 'running' | 'done' | 'failed'
  /** A try failed, so that the time since its start says nothing about what is left. */
  waits?: boolean
}

export interface Due {
  /** When it should start. */
  dueMs: number
  deadlineMs: number | undefined
  run: RunFacts | undefined
  paused: boolean
  /** Nobody is there who would start it or go on with it. */
  noWorker?: boolean
  /** A worker is there, and none that would write its files. */
  noExports?: boolean
}

/**
 * - `waiting`: its time has not come. `running`, `done`, `done late`, `failed`.
 * - `at risk`: not done, and the deadline is nearer than the work that is left by estimate; or it
 *   has begun, and nobody is there who would end it.
 * - `missed`: the deadline has passed and it is not done.
 * - `not started`: its time has come and gone. `paused`: the same, or its time has not come,
 *   because somebody paused it.
 * - `stuck`: it has been running for longer than any run may.
 * - `halted`: it has begun, and goes on when a worker is up again.
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
  | 'halted'

/** A start may be late by its jitter, and by a busy server. */
const START_GRACE_MS = 10 * 60_000
/** Longer than a night may wait for its proof (`workflows/nightly.ts`). */
const LONGEST_RUN_MS = 24 * 3_600_000

export function standingOf(due: Due, nowMs: number, estimateMs: number): Standing {
  const { run } = due
  if (run?.outcome === 'done') return isLate(due) ? 'done late' : 'done'
  if (isBehind(due.deadlineMs, nowMs)) return 'missed'
  if (run === undefined) return standingBeforeRun(due, nowMs, estimateMs)
  if (run.outcome === 'failed') return 'failed'
  if (nowMs - run.startedMs > LONGEST_RUN_MS) return 'stuck'
  if (willBeLate(due, run, nowMs, estimateMs)) return 'at risk'
  return due.noWorker === true ? 'halted' : 'running'
}

/** Its deadline has not passed. */
function standingBeforeRun(due: Due, nowMs: number, estimateMs: number): Standing {
  if (due.paused) return 'paused'
  if (nowMs > due.dueMs + START_GRACE_MS) return 'not started'
  return isAtRisk(due, nowMs, estimateMs) ? 'at risk' : 'waiting'
}

const isBehind = (deadlineMs: number | undefined, ms: number): boolean =>
  deadlineMs !== undefined && ms > deadlineMs

const isLate = ({ deadlineMs, run }: Due): boolean => isBehind(deadlineMs, run!.finishedMs!)

const isAtRisk = ({ dueMs, deadlineMs }: Due, nowMs: number, leftMs: number): boolean =>
  deadlineMs !== undefined && deadlineMs - Math.max(nowMs, dueMs) < leftMs

const willBeLate = (due: Due, run: RunFacts, nowMs: number, estimateMs: number): boolean =>
  due.noExports === true || isAtRisk(due, nowMs, leftMs(run, nowMs, estimateMs))

/**
 * Of a run that has begun. The margin of the estimate counts only when the usual time is over, so
 * that a night that goes on as always is never at risk; and when the margin is over too, it is as
 * long as a whole run, which is the most that anybody knows.
 */
function leftMs({ startedMs, waits }: RunFacts, nowMs: number, estimateMs: number): number {
  const tookMs = nowMs - startedMs
  if (waits === true || tookMs > estimateMs) return estimateMs
  const usualMs = estimateMs / MARGIN
  return (tookMs > usualMs ? estimateMs : usualMs) - tookMs
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
const MARGIN = 1.5

/** How long those took that were done, in the same order. */
export const durationsOf = (
  runs: readonly { outcome: string; startedAt: string; finishedAt: string | undefined }[],
): number[] =>
  runs
    .filter(({ outcome }) => outcome === 'done')
    .map(({ startedAt, finishedAt }) => fromIso(finishedAt!) - fromIso(startedAt))

/** How long the next one will take: as long as the longest of the last few, plus a margin. */
export function estimateMs(tookMs: readonly number[]): number {
  return tookMs.length === 0
    ? FIRST_ESTIMATE_MS
    : Math.max(60_000, Math.max(...tookMs.slice(0, 7)) * MARGIN)
}
