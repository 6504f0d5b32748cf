import { setWorkflowOptions, sleep } from '@temporalio/workflow'
import type { RoundResult } from '../activities/apply-plan.ts'
import { writesOf } from './proxies.ts'
import { goesOn } from './versioning.ts'

/**
 * One run of a plan, carried out by the process that began it and by nobody else. What is sent is
 * decided by the plan's document and the database alone.
 */
export const applyPlan = ({ plan, run }: { plan: string; run: string }): Promise<RoundResult> =>
  writesOf(run).applyPlan({ plan, run })

/** Longer than any timer has to be: the day on which a row takes effect is looked at again. */
const LONGEST_SLEEP_MS = 24 * 3_600_000

/**
 * Rows of a push that wait for their time, sent by `up` or a worker when it has come. Ends where
 * nothing waits any more, or where the plan may not go on by itself.
 */
export async function sendWhenDue({ plan }: { plan: string }): Promise<RoundResult> {
  for (;;) {
    const round = await writesOf().applyPlan({ plan })
    if (round.nextDueAt === null) return round
    const dueInMs = Date.parse(round.nextDueAt) - Date.now()
    await sleep(Math.max(1, Math.min(dueInMs, LONGEST_SLEEP_MS)))
  }
}
setWorkflowOptions(goesOn, sendWhenDue)
