import { DatabaseError, PlanError, TillageError } from '../errors.ts'

/** What a run of a plan came to; lives in histories. */
export interface RoundResult {
  /** Operations that came to an end. */
  done: number
  /** When the next operation that waits for its time is due; null = none does. */
  nextDueAt: string | null
  /** Operations that could not be carried out at all, with the code of why. */
  failures: { op: string; code: string; message: string }[]
}

export interface RoundControl {
  /** Aborted: ends between two operations. */
  signal: AbortSignal
  progress(done: number, total: number): void
  /** For people, about what takes long. */
  say(line: string): void
}

/**
 * Whether an error keeps a part of a plan from being carried out, and the others go on. What is
 * wrong with the plan or the database is of all, and so is a stop.
 */
export const isOfPart = (error: unknown): error is TillageError =>
  error instanceof TillageError &&
  !(error instanceof PlanError || error instanceof DatabaseError) &&
  error.code !== 'INTERRUPTED'
