import { describeWaiting } from '../outbound/waiting-plans.ts'
import type { WaitingPlan } from '../outbound/waiting-plans.ts'
import { noticeOf } from './notice.ts'
import type { Notice } from './notice.ts'

/** Plans of a store that go no further without somebody. Pure. */
export const judgePlans = (store: string, plans: readonly WaitingPlan[], nowMs: number): Notice[] =>
  plans.map(waiting =>
    noticeOf({
      kind: waiting.why === 'not approved' ? 'approval_waiting' : 'write_parked',
      severity: waiting.why === 'not approved' ? 'warning' : 'critical',
      store,
      object: waiting.plan,
      text: describeWaiting(waiting, nowMs),
      since: waiting.since,
      next: [{ does: 'shows the plan', command: `tillage ${waiting.kind} show ${waiting.plan}` }],
    }),
  )
