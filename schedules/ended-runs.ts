import { fromIso } from '../calendar/days.ts'
import type { KnownRun } from '../connectors/destination/runs.ts'
import { scheduledWorkflowId } from '../workflows/ids.ts'

/** When it is asked, and which workflows Temporal says are under way; undefined: nobody knows. */
export interface OpenAt {
  nowMs: number
  open?: readonly string[] | undefined
}

/** Temporal may name what has just begun a little later. */
const NAMED_LATE_MS = 60_000

/**
 * A run that never came to its end, and of which Temporal has nothing under way, has failed:
 * somebody ended it there, or the server ended it. Others stay as they are. Pure.
 */
export const withEndedRuns = (runs: readonly KnownRun[], at: OpenAt): KnownRun[] =>
  runs.map(run => (wasEnded(run, at) ? asEnded(run) : run))

function wasEnded({ kind, store, outcome, startedAt }: KnownRun, { nowMs, open }: OpenAt): boolean {
  if (outcome !== 'running' || open === undefined) return false
  if (nowMs - fromIso(startedAt) < NAMED_LATE_MS) return false
  const starts = [`${scheduledWorkflowId(kind, store)}-`, `night/${store}/`]
  return !open.some(id => starts.some(start => id.startsWith(start)))
}

const asEnded = (run: KnownRun): KnownRun => ({
  ...run,
  outcome: 'failed',
  detail: [run.detail, 'it was ended in Temporal before it was done']
    .filter(text => text !== '')
    .join('; '),
})
