import { allHandlersFinished, condition, defineUpdate, setHandler } from '@temporalio/workflow'
import type { RoundResult } from '../activities/apply-push.ts'
import { applyPush } from './proxies.ts'

export interface PushInput {
  plan: string
}

/** "Send now what is due": answers when that was done. */
export const applyNow = defineUpdate<RoundResult>('applyNow')

/** Longer than any timer has to be: the day on which a row takes effect is looked at again. */
const LONGEST_SLEEP_MS = 24 * 3_600_000

/**
 * Applies an approved plan: what is due at once, and the rest when its time comes, for as long as
 * anything waits. What was sent is decided by the database alone, so a round may be repeated at any
 * time.
 */
export async function pushCatalog({ plan }: PushInput): Promise<RoundResult> {
  let asked = 1
  let finished = 0
  let last: RoundResult = { done: 0, nextDueAt: null }
  setHandler(applyNow, async () => {
    const mine = ++asked
    await condition(() => finished >= mine)
    return last
  })
  for (;;) {
    const round = asked
    last = await applyPush({ plan })
    finished = round
    if (asked > finished) continue
    if (last.nextDueAt === null) {
      await condition(allHandlersFinished)
      if (asked === finished) return last
      continue
    }
    const dueInMs = Date.parse(last.nextDueAt) - Date.now()
    await condition(() => asked > finished, Math.max(1, Math.min(dueInMs, LONGEST_SLEEP_MS)))
    if (asked === finished) asked++
  }
}
