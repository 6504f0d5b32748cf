import type { UnpostedDays } from '../books/unposted-days.ts'
import { countOf } from '../commands/terminal/number.ts'
import type { DriftLook } from '../connectors/destination/attempts.ts'
import type { ReconcileStanding } from '../reconcile/alarm.ts'
import { describeUnposted } from './describe-unposted.ts'
import { noticeOf } from './notice.ts'
import type { Notice } from './notice.ts'

/** What is known of the books of a store, and of what goes back to its API. */
export interface BusinessFacts {
  store: string
  unposted: UnpostedDays
  /** Days whose newest checks hold their journal back, with the first reason. */
  held: readonly { day: string; why: string }[]
  /** In words. */
  chart: string | undefined
  drift: DriftLook | undefined
  reconcile: ReconcileStanding | undefined
  /** Of confirmed discrepancies, in words. */
  clocks: readonly { text: string; isLate: boolean; dueAt: string }[]
  /** Why its nights book an earlier day. */
  earlyNight: string | undefined
}

/** How the books of a store and its inventory stand. Pure. */
export const judgeBusiness = (facts: BusinessFacts): Notice[] => [
  ...judgeUnposted(facts),
  ...judgeHeld(facts),
  ...judgeDrift(facts),
  ...judgeReconciliation(facts),
  ...judgeHints(facts),
]

function judgeUnposted({ store, unposted: { days, notComputed } }: BusinessFacts): Notice[] {
  const changed = days.map(one =>
    noticeOf({
      kind: 'day_changed',
      severity: 'warning',
      store,
      day: one.day,
      text: describeUnposted(one),
      next: [{ does: 'posts it', command: `tillage journal --store ${store} --date ${one.day}` }],
    }),
  )
  const text = `${countOf(notComputed, 'more day')} may have changed: tillage books`
  return notComputed === 0
    ? changed
    : [...changed, noticeOf({ kind: 'day_changed', severity: 'warning', store, text })]
}

const judgeHeld = ({ store, held }: BusinessFacts): Notice[] =>
  held.map(({ day, why }) => {
    const command = `tillage journal --store ${store} --date ${day} --dry-run`
    return noticeOf({
      kind: 'journal_held',
      severity: 'critical',
      store,
      day,
      text: `the journal of ${day} is held back: ${why}: ${command}`,
      next: [{ does: 'shows what holds it', command }],
    })
  })

function judgeDrift({ store, drift }: BusinessFacts): Notice[] {
  if (drift === undefined || drift.drifted === 0) return []
  const command = `tillage push drift --store ${store}`
  return [
    noticeOf({
      kind: 'drift',
      severity: 'warning',
      store,
      text: `${drift.drifted} of ${drift.records} pushed records were changed by others: ${command}`,
      since: drift.at,
      next: [{ does: 'shows what changed', command }],
    }),
  ]
}

const judgeReconciliation = ({ store, reconcile, clocks }: BusinessFacts): Notice[] => [
  ...(reconcile?.attention ?? []).map(text =>
    noticeOf({
      kind: 'reconciliation_due',
      severity: reconcile!.isOverdue ? 'warning' : 'hint',
      store,
      text,
    }),
  ),
  ...clocks.map(({ text, isLate, dueAt }) =>
    noticeOf({
      kind: 'discrepancy_clock',
      severity: isLate ? 'critical' : 'hint',
      store,
      text,
      since: isLate ? dueAt : null,
    }),
  ),
]

const judgeHints = ({ store, chart, earlyNight }: BusinessFacts): Notice[] => [
  ...(chart === undefined
    ? []
    : [noticeOf({ kind: 'chart_changed', severity: 'hint', store, text: chart })]),
  ...(earlyNight === undefined
    ? []
    : [noticeOf({ kind: 'night_early', severity: 'hint', store, text: earlyNight })]),
]
