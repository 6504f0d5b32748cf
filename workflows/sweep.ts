import { toApplicationFailure } from './failures.ts'
import { noted } from './note-failure.ts'
import { beginRun, findSweepOrder, noteRun } from './proxies.ts'
import type { RecordCounts } from './results.ts'
import { runChildSync } from './run-child-sync.ts'
import { scheduledAt } from './scheduled-time.ts'

export interface SweepResult {
  store: string
  day: string
  /**
   * Rows that were new or different now: what the lookback missed, and of lists without dates
   * whatever has changed since they were last read.
   */
  missed: number
  fetched: number
}

/**
 * Reads far more than the lookback again, on a slower schedule: what it finds changed measures what
 * the lookback misses.
 */
export async function sweep({ store }: { store: string }): Promise<SweepResult> {
  const run = await beginRun({ kind: 'sweep', store, scheduledAt: scheduledAt() })
  const { days, result, failure } = await noted(run, async () => {
    const order = await findSweepOrder({ store })
    const read = await runChildSync({ store, sweepDays: order.days }, order.streams)
    return { days: order.days, ...read }
  })
  if (result === undefined) {
    await noteRun({ run, outcome: 'failed', detail: `${failure!.code}: ${failure!.message}` })
    throw toApplicationFailure(failure!)
  }
  const sum = (count: keyof RecordCounts): number =>
    result.streams.reduce((total, { records }) => total + records[count], 0)
  const [missed, fetched, unproven] = [
    sum('inserted') + sum('updated'),
    sum('fetched'),
    result.streams.reduce((total, { windows }) => total + windows.unproven, 0),
  ]
  await noteRun({
    run,
    outcome: unproven > 0 ? 'failed' : 'done',
    detail:
      `${days} days: ${missed} of ${fetched} rows were new or different` +
      (unproven > 0 ? `; ${unproven} windows are not proven` : ''),
  })
  return { store, day: run.day, missed, fetched }
}
