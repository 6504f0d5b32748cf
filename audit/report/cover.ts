import { localMinute } from '../../calendar/clock.ts'
import { fromIso } from '../../calendar/days.ts'
import type { Confirmation, StepDone, Withdrawal } from '../confirmation.ts'
import type { Counts } from '../counts.ts'
import type { AuditSettings } from '../settings.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Citation, Rules } from '../state-rules.ts'
import { attestedScope, describeCoverage } from './coverage.ts'
import type { Coverage } from './coverage.ts'
import type { AuditLine } from './lines.ts'
import type { ComparedPackage } from './state-comparison.ts'
import { ruleOf } from './summary.ts'
import type { Significance } from './summary.ts'
import { text } from './table.ts'
import type { AuditTable } from './table.ts'
import type { Verdict } from './verdict.ts'

export interface CoverFacts {
  snapshot: Snapshot
  settings: AuditSettings
  /** Of the states that the store lies in. */
  rules: Rules
  lines: readonly AuditLine[]
  counts: Counts
  coverage: Coverage
  /** What the state's system has beside it; undefined: nobody has given its list. */
  state: { file: string; listed: number; packages: readonly ComparedPackage[] } | undefined
  significance: readonly Significance[]
  verdict: Verdict
  /** What the average month's sales are known from, or why not. */
  salesDetail: string
  approvers: readonly string[]
  /** Days since the last full reconciliation; undefined: none is known. */
  daysSince: number | undefined
  /**
   * That its discrepancy is significant, and which steps were
   * done since; undefined: nobody says so.
   */
  confirmation: Confirmation | undefined
  stepsDone: readonly StepDone[]
  /** Confirmations that were taken back. */
  withdrawn: readonly Withdrawal[]
  at: string
}

const namesOf = (lines: readonly AuditLine[], who: 'countedBy' | 'recountedBy'): string =>
  [...new Set(lines.flatMap(({ count }) => (count?.[who] ? [count[who]] : [])))].join(', ')

export function coverTable(facts: CoverFacts): AuditTable {
  const rows = [...aboutSnapshot(facts), ...aboutCount(facts), ...aboutRules(facts)]
  return {
    dataset: 'cover',
    title: 'Cover',
    columns: [text('item'), text('value')],
    rows: [
      ...rows.filter(([, value]) => value !== '').map(([item = '', value = '']) => [item, value]),
      ['Attestation', attestationOf(facts)],
      ...['Counter', 'Second counter', 'Manager'].map(who => [who, '______________________']),
    ],
  }
}

/** What those who sign state: how much was counted first, then the words of the settings. */
export const attestationOf = ({ coverage, settings }: CoverFacts): string =>
  `${attestedScope(coverage)} ${settings.attestation}`

/** What was looked at, and how. */
export function aboutSnapshot({ snapshot, coverage, state }: CoverFacts): string[][] {
  const { audit, store, storeName, storeLicense, startedAt, endedAt, moved } = snapshot
  const method = snapshot.isBlind
    ? 'blind sheets, by lot and room'
    : 'sheets that showed the expected quantity'
  const rooms = snapshot.isPartial ? 'some rooms of the store' : 'all rooms of the store'
  return [
    ['Audit', audit],
    ['Store', storeName === undefined ? store : `${store}, ${storeName}`],
    ['Licence', storeLicense ?? 'not said by the API'],
    ['Scope', describeCoverage(coverage)],
    ['Snapshot of', `${rooms}: ${roomNames(snapshot)}`],
    ['Method', method],
    ['List of the state', state === undefined ? '' : `${state.file}, ${state.listed} packages`],
    ['Snapshot began', shownTime(startedAt, snapshot)],
    ['Snapshot ended', shownTime(endedAt, snapshot)],
    ['Lots that moved during the snapshot', moved.length === 0 ? '' : String(moved.length)],
  ]
}

const shownTime = (iso: string | undefined, { timeZone }: Snapshot): string =>
  iso === undefined ? '' : localMinute(fromIso(iso), timeZone)

/** Who counted, and when. */
export function aboutCount({ snapshot, lines, approvers, daysSince }: CoverFacts): string[][] {
  const times = lines.flatMap(({ count }) => count?.countedAt ?? []).toSorted()
  return [
    ['Counted from', shownTime(times[0], snapshot)],
    ['Counted until', shownTime(times.at(-1), snapshot)],
    ['Counted by', namesOf(lines, 'countedBy')],
    ['Recounted by', namesOf(lines, 'recountedBy')],
    ['Approvers', approvers.join(', ')],
    ['Days since the last full reconciliation', String(daysSince ?? 'none is known')],
  ]
}

/** By what it is judged. */
export const aboutRules = (facts: CoverFacts): string[][] => [
  ['Average monthly sales', facts.salesDetail],
  ...facts.significance.map(one => [
    `Differences against sales, at ${one.basis}`,
    describeSignificance(one),
  ]),
  ['Significant', describeVerdict(facts.verdict)],
  ...rulesOn(facts.rules, facts.snapshot.endedAt.slice(0, 10)).map(one => [one.source, one.says]),
  ...facts.withdrawn.map(({ by, withdrawnAt, reason }) => [
    'Confirmation withdrawn',
    `${shownTime(withdrawnAt, facts.snapshot)}, by ${by}: ${reason}`,
  ]),
  ['Report made', shownTime(facts.at, facts.snapshot)],
]

export const describeVerdict = (verdict: Verdict): string =>
  verdict.says === 'not judged' ? `not judged: ${verdict.because}` : verdict.says

const describeSignificance = (one: Significance): string =>
  `${one.percent} %, ${one.netPercent} % net (significant from ${one.limit} %, ${one.source}): ` +
  saysOf(one) +
  (one.unpriced === 0 ? '' : `, without ${one.unpriced} lots whose price is not known`)

function saysOf({ isSignificant }: Significance): string {
  if (isSignificant === undefined) return 'of the counted lots only, so it is not judged'
  return isSignificant ? 'significant' : 'not significant'
}

const rulesOn = ({ citations }: Rules, day: string): Citation[] =>
  [...Map.groupBy(citations, ({ source }) => source).values()].flatMap(
    rules => ruleOf(rules, day) ?? [],
  )

const roomNames = ({ rooms }: Snapshot): string => rooms.map(({ name }) => name).join(', ')

/** Packages of which shelf, till and the state's list do not say the same. */
export const differingPackages = ({ state }: CoverFacts): ComparedPackage[] =>
  (state?.packages ?? []).filter(({ kind }) => kind !== '' && kind !== 'not counted')

export const differFromState = (packages: number): string =>
  `${packages} ${packages === 1 ? 'package differs' : 'packages differ'} from the state's list`
