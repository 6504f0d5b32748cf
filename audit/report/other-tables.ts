import type { ReconcileSettings } from '../../reconcile/settings.ts'
import { MEANS } from '../clocks.ts'
import type { Confirmation, StepDone } from '../confirmation.ts'
import type { Snapshot } from '../snapshot.ts'
import { missingDocuments } from './exceptions.ts'
import type { AuditLine } from './lines.ts'
import { ruleOf } from './summary.ts'
import type { Significance } from './summary.ts'
import { number, text } from './table.ts'
import type { AuditTable } from './table.ts'

export interface CoverFacts {
  snapshot: Snapshot
  settings: ReconcileSettings
  lines: readonly AuditLine[]
  significance: readonly Significance[]
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
  at: string
}

const namesOf = (lines: readonly AuditLine[], who: 'countedBy' | 'recountedBy'): string =>
  [...new Set(lines.flatMap(({ count }) => (count?.[who] ? [count[who]] : [])))].join(', ')

export function coverTable(facts: CoverFacts): AuditTable {
  const rows = [...aboutSnapshot(facts.snapshot), ...aboutCount(facts), ...aboutRules(facts)]
  return {
    dataset: 'cover',
    title: 'Cover',
    columns: [text('item'), text('value')],
    rows: rows.map(([item = '', value = '']) => [item, value]),
  }
}

function aboutSnapshot(snapshot: Snapshot): string[][] {
  const { audit, store, storeName, storeLicense, startedAt, endedAt, moved } = snapshot
  const method = snapshot.isBlind
    ? 'blind sheets, by lot and room'
    : 'sheets that showed the expected quantity'
  return [
    ['Audit', audit],
    ['Store', storeName === undefined ? store : `${store}, ${storeName}`],
    ['Licence', storeLicense ?? 'not said by the API'],
    ['Scope', `${snapshot.isPartial ? 'some' : 'all'} rooms: ${roomNames(snapshot)}`],
    ['Method', method],
    ['Snapshot began', startedAt],
    ['Snapshot ended', endedAt],
    ['Lots that moved during the snapshot', String(moved.length)],
  ]
}

function aboutCount({ lines, approvers, daysSince }: CoverFacts): string[][] {
  const times = lines.flatMap(({ count }) => count?.countedAt ?? []).toSorted()
  return [
    ['Counted from', times[0] ?? ''],
    ['Counted until', times.at(-1) ?? ''],
    ['Counted by', namesOf(lines, 'countedBy')],
    ['Recounted by', namesOf(lines, 'recountedBy')],
    ['Approvers', approvers.join(', ')],
    ['Days since the last full reconciliation', String(daysSince ?? 'none is known')],
  ]
}

const aboutRules = ({
  snapshot,
  settings,
  significance,
  salesDetail,
  at,
}: CoverFacts): string[][] => [
  ['Average monthly sales', salesDetail],
  ...significance.map(one => [
    `Differences against sales, at ${one.basis}`,
    describeSignificance(one),
  ]),
  ...rulesOn(settings, snapshot.endedAt.slice(0, 10)).map(({ source, says }) => [source, says]),
  ['Report made', at],
  ['Attestation', settings.attestation],
  ...['Counter', 'Second counter', 'Manager'].map(who => [who, '______________________']),
]

const describeSignificance = (one: Significance): string =>
  `${one.percent} %, ${one.netPercent} % net (significant from ${one.limit} %, ${one.source}): ` +
  (one.isSignificant ? 'significant' : 'not significant') +
  (one.unpriced === 0 ? '' : `, without ${one.unpriced} lots whose price is not known`)

const rulesOn = ({ citations }: ReconcileSettings, day: string): ReconcileSettings['citations'] =>
  [...Map.groupBy(citations, ({ source }) => source).values()].flatMap(
    rules => ruleOf(rules, day) ?? [],
  )

const roomNames = ({ rooms }: Snapshot): string => rooms.map(({ name }) => name).join(', ')

/** What the law wants of each lot (4 CCR 15423): what the lot does not say is named. */
export function documentationTable(lines: readonly AuditLine[]): AuditTable {
  return {
    dataset: 'inventory_documentation',
    title: 'Inventory documentation',
    columns: [
      text('batch_id'),
      text('batch_sku'),
      text('package_tag'),
      text('description'),
      text('unit'),
      number('received_qty'),
      text('received_at'),
      text('expires_at'),
      text('distributor'),
      text('distributor_license'),
      number('unit_cost'),
      number('total_cost'),
      number('excise_tax'),
      text('missing'),
    ],
    rows: [...new Map(lines.map(({ lot }) => [lot.batchId, lot])).values()].map(lot => [
      lot.batchId,
      lot.batchSku,
      lot.packageTag,
      lot.product,
      lot.unit,
      lot.receivedQty ?? '',
      lot.receivedAt ?? '',
      lot.expiresAt ?? '',
      lot.vendorName,
      lot.vendorLicense,
      lot.unitCost ?? '',
      lot.cost ?? '',
      lot.exciseTax ?? '',
      missingDocuments(lot).join(', '),
    ]),
  }
}

/** What has to be done, by when: clocks start when a significant discrepancy is confirmed. */
export function actionTable(facts: CoverFacts): AuditTable {
  const { snapshot, lines, settings, significance, confirmation } = facts
  const outside = lines.filter(({ isInTolerance }) => isInTolerance === false)
  const recount = outside.filter(({ count }) => count?.recounted === undefined).length
  const uncounted = lines.filter(({ count }) => count === undefined).length
  const isSignificant = significance.some(one => one.isSignificant)
  const rows = [
    [recount > 0, `${recount} lots out of tolerance: recount by another person`, '', ''],
    [uncounted > 0, `${uncounted} lots were not counted`, '', ''],
    [outside.length > 0, 'plan the reconciliation: tillage reconcile plan', '', ''],
    [
      isSignificant && confirmation === undefined,
      `confirm the significant discrepancy: tillage audit confirm ${snapshot.audit}; ` +
        `then notify within ${settings.noticeHours} hours, ` +
        `and report within ${settings.reportBusinessDays} business days where that is asked for`,
      '',
      settings.noticeSource,
    ],
  ] as const
  return {
    dataset: 'actions',
    title: 'Actions',
    columns: [text('action'), text('due_at'), text('source'), text('done_by'), text('done_at')],
    rows: [
      ...rows
        .filter(([isDue]) => isDue)
        .map(([, action, due, source]) => [action, due, source, '', '']),
      ...clockRows(facts),
    ],
  }
}

/** What a confirmation has started, and what of it was done. */
const clockRows = ({ confirmation, stepsDone }: CoverFacts): string[][] =>
  (confirmation?.clocks ?? []).map(({ step, dueAt, source }) => {
    const done = stepsDone.find(one => one.step === step)
    const who = done === undefined ? '' : `${done.by} (${done.reference})`
    return [MEANS[step], dueAt, source, who, done?.doneAt ?? '']
  })

export const evidenceTable = (
  files: readonly { path: string; sha256: string; rows: number | undefined }[],
): AuditTable => ({
  dataset: 'evidence',
  title: 'Evidence',
  columns: [text('file'), text('sha256'), number('rows')],
  rows: files.map(({ path, sha256, rows }) => [
    path,
    sha256,
    rows === undefined ? '' : String(rows),
  ]),
})
