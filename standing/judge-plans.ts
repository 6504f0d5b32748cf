import { describeWaiting } from '../outbound/waiting-plans.ts'
import type { WaitingPlan } from '../outbound/waiting-plans.ts'
import { noticeOf } from './notice.ts'
import type { Notice } from './notice.ts'

/** Plans of a store that go no further without somebody. Pure. */
export const judgePlans = (store: string, plans: readonly WaitingPlan[], nowMs: number): Notice[] =>
  plans.map(waiting =>
    noticeOf({
      ...(WAITS_FOR_A_WORD.has(waiting.why)
        ? { kind: 'approval_waiting', severity: 'warning' }
        : { kind: 'write_parked', severity: 'critical' }),
      store,
      object: waiting.plan,
      text: describeWaiting(waiting, nowMs),
      since: waiting.since,
      next: [{ does: 'shows the plan', command: `tillage ${waiting.kind} show ${waiting.plan}` }],
    }),
  )

/** Nothing went wrong: it is for somebody to decide. */
const WAITS_FOR_A_WORD: ReadonlySet<WaitingPlan['why']> = new Set(['not approved', 'changes asked'])
