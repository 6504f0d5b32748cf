import { applyPlan } from '../push/apply/apply-plan.ts'
import type { RoundResult } from '../push/apply/apply-plan.ts'
import type { Push } from '../push/push.ts'

/** Which plan; lives in histories. */
export interface ApplyInput {
  plan: string
}

/** One round of a plan: sends what is approved and due. Cancelled, it ends between two records. */
export const applyPush = (
  push: Push,
  { plan }: ApplyInput,
  signal: AbortSignal,
): Promise<RoundResult> =>
  applyPlan(push, plan, {
    signal,
    progress(done, total) {
      push.progress = { plan, done, total }
    },
  })

export type { RoundResult }
