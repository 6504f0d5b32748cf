import type { UnpostedDays } from '../books/unposted-days.ts'
import { HOUR_MS } from '../calendar/days.ts'
import { countOf } from '../commands/terminal/number.ts'
import type { DriftCheck } from '../connectors/destination/attempts.ts'
import { showHeld } from '../exports/journal/held.ts'
import type { HeldBack } from '../exports/journal/held.ts'
import type { ReconcileStanding } from '../reconcile/alarm.ts'
import { describeUnposted } from './describe-unposted.ts'
import { noticeOf } from './notice.ts'
import type { Notice, Severity } from './notice.ts'

/** A night that wrote revisions of journals of earlier days. */
export interface RestatedNight {
  night: string
  revisions: readonly { day: string; number: string; amount: string; at: string }[]
}

/** A day whose newest checks hold its journal back. */
export interface HeldDay extends HeldBack {
  day: string
}

/** What is known of the books of a store, and of what goes back to its API. */
export interface BusinessFacts {
  store: string
  unposted: UnpostedDays
  held: readonly HeldDay[]
  restated: readonly RestatedNight[]
  /** In words. */
  chart: string | undefined
  drift: DriftCheck | undefined
  reconcile: ReconcileStanding | undefined
  /** Days whose last export did not come to its end. */
  unfinished: readonly string[]
  /** Of confirmed discrepancies, in words. */
  clocks: readonly { audit: string; text: string; leftMs: number; dueAt: string }[]
  /** Why its nights book an earlier day. */
  earlyNight: string | undefined
}

/** How the books of a store and its inventory stand. Pure. */
export const judgeBusiness = (facts: BusinessFacts): Notice[] => [
  ...judgeUnposted(facts),
  ...judgeUnfinished(facts),
  ...judgeHeld(facts),
  ...judgeRestated(facts),
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

const judgeUnfinished = ({ store, unfinished }: BusinessFacts): Notice[] =>
  unfinished.map(day =>
    noticeOf({
      kind: 'day_unfinished',
      severity: 'warning',
      store,
      day,
      text: `the journal of ${day} was posted and not given out: run it again`,
      next: [
        {
          does: 'gives out its journal',
          command: `tillage journal --store ${store} --date ${day}`,
        },
      ],
    }),
  )

const judgeHeld = ({ store, held }: BusinessFacts): Notice[] =>
  held.map(one => {
    const { day, why, counted, changed } = one
    const command = showHeld(one, { store, day })
    const does = changed === undefined ? 'shows what holds it' : 'says which files were changed'
    return noticeOf({
      kind: 'journal_held',
      severity: 'critical',
      store,
      day,
      text: `the journal of ${day} is held back: ${why}: ${command}`,
      textOutside: `the journal of ${day} is held back: ${counted}`,
      next: [{ does, command }],
    })
  })

/** Amounts are what the new entries come to, by their number. */
const judgeRestated = ({ store, restated }: BusinessFacts): Notice[] =>
  restated.map(({ night, revisions }) =>
    noticeOf({
      kind: 'day_restated',
      severity: 'hint',
      store,
      day: night,
      text: `the night of ${night} wrote revisions of earlier days: ${revisions
        .map(({ day, number, amount }) => `${day} ${number} ${amount}`)
        .join(', ')}`,
      since: revisions.map(({ at }) => at).toSorted()[0]!,
      next: [
        { does: 'shows the months and their days', command: `tillage books --store ${store}` },
      ],
    }),
  )

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
  ...clocks.map(({ audit, text, leftMs, dueAt }) =>
    noticeOf({
      kind: 'discrepancy_clock',
      severity: severityOfClock(leftMs),
      store,
      object: audit,
      text,
      since: leftMs <= 0 ? dueAt : null,
    }),
  ),
]

/** Enough to write a report in. */
const CLOSE_MS = 6 * HOUR_MS

function severityOfClock(leftMs: number): Severity {
  if (leftMs <= 0) return 'critical'
  return leftMs <= CLOSE_MS ? 'warning' : 'hint'
}

const judgeHints = ({ store, chart, earlyNight }: BusinessFacts): Notice[] => [
  ...(chart === undefined
    ? []
    : [noticeOf({ kind: 'chart_changed', severity: 'hint', store, text: chart })]),
  ...(earlyNight === undefined
    ? []
    : [noticeOf({ kind: 'night_early', severity: 'hint', store, text: earlyNight })]),
]
