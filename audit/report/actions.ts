import { MEANS } from '../clocks.ts'
import { differFromState, differingPackages } from './cover.ts'
import type { CoverFacts } from './cover.ts'
import { text } from './table.ts'
import type { AuditTable } from './table.ts'
import { lotsOf } from './verdict.ts'

/** Something that somebody has to do; a due time and the rule that sets it, if there are any. */
export interface Action {
  action: string
  /** ISO, UTC. */
  dueAt: string
  source: string
  doneBy: string
  doneAt: string
}

/** What has to be done, by when: clocks start when a significant discrepancy is confirmed. */
export function actionsOf(facts: CoverFacts): Action[] {
  const { snapshot, lines, coverage, settings, rules, verdict, confirmation } = facts
  const outside = lines.filter(({ isInTolerance }) => isInTolerance === false)
  const recount = outside.filter(({ count }) => count?.recounted === undefined).length
  const unexplained = lines.filter(
    ({ variance, count }) => (variance ?? 0n) < 0n && count?.reasonCode === '',
  ).length
  const differing = differingPackages(facts).length
  const uncounted = coverage.lots - coverage.counted
  const due = [
    [differing > 0, differFromState(differing), ''],
    [recount > 0, `${lotsOf(recount)} out of tolerance: recount by another person`, ''],
    [uncounted > 0, `${lotsOf(uncounted)} not counted`, ''],
    [unexplained > 0, `${lotsOf(unexplained)} short without an adjustment reason: write one`, ''],
    [
      facts.counts.finds.length > 0,
      'find out where items that the till does not know come from',
      '',
    ],
    [outside.length > 0, 'plan the reconciliation: tillage reconcile plan', ''],
    [
      verdict.says === 'significant' && confirmation === undefined,
      `confirm the significant discrepancy: tillage audit confirm ${snapshot.audit}; ` +
        `then notify within ${settings.noticeHours} hours, ` +
        `and report within ${settings.reportBusinessDays} business days where that is asked for`,
      rules.noticeSource,
    ],
  ] as const
  return [
    ...due
      .filter(([isDue]) => isDue)
      .map(([, action, source]) => ({ action, dueAt: '', source, doneBy: '', doneAt: '' })),
    ...clockActions(facts),
  ]
}

export const actionTable = (facts: CoverFacts): AuditTable => ({
  dataset: 'actions',
  title: 'Actions',
  columns: [text('action'), text('due_at'), text('source'), text('done_by'), text('done_at')],
  rows: actionsOf(facts).map(({ action, dueAt, source, doneBy, doneAt }) => [
    action,
    dueAt,
    source,
    doneBy,
    doneAt,
  ]),
})

/** What a confirmation has started, and what of it was done. */
const clockActions = ({ confirmation, stepsDone }: CoverFacts): Action[] =>
  (confirmation?.clocks ?? []).map(({ step, dueAt, source }) => {
    const done = stepsDone.find(one => one.step === step)
    const doneBy = done === undefined ? '' : `${done.by} (${done.reference})`
    return { action: MEANS[step], dueAt, source, doneBy, doneAt: done?.doneAt ?? '' }
  })
