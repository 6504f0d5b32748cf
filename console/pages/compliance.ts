import { isUncounted, recordsOf, stateOf } from '../../audit/audit-state.ts'
import { describeClock } from '../../audit/clocks.ts'
import { openClocks } from '../../audit/confirmation.ts'
import { describeDiscard } from '../../audit/discard.ts'
import { allAudits, auditsOf, findAudit, readSnapshot } from '../../audit/folder.ts'
import type { AuditFolder } from '../../audit/folder.ts'
import { hasReportedCounts } from '../../audit/kept-counts.ts'
import { localMinute } from '../../calendar/clock.ts'
import { fromIso, toMinute } from '../../calendar/days.ts'
import { listedAudit } from '../../commands/audit/list.ts'
import type { ListedAudit } from '../../commands/audit/list.ts'
import { readReconcileStanding } from '../../commands/reconcile/standing.ts'
import { countOf } from '../../commands/terminal/number.ts'
import { askedOnce } from '../../outbound/asked-once.ts'
import { actionForms } from '../actions/form.ts'
import { filesOfAudit } from '../given-files.ts'
import type { PagePlace, ShowPage } from '../page.ts'
import { auditFile } from '../parts/audit-file.ts'
import { chosenStores, storeFilter } from '../parts/chosen.ts'
import { link, pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { factList } from '../parts/facts.ts'
import { filterForm } from '../parts/filter-form.ts'
import { statusCell } from '../parts/status.ts'
import type { Person } from '../sessions.ts'

/** What inspectors ask for: days since the last full count, clocks that run, audits. */
export const showCompliance: ShowPage = async (place, request) => {
  const { nowMs } = request
  const { named, stores } = chosenStores(request)
  const due = await dueOf(place, stores, nowMs)
  const { exports } = place.config
  // One that was taken under another id of its store is on record as well.
  const audits = (named === '' ? allAudits(exports) : auditsOf(exports, named))
    .map(listedAudit)
    .toSorted((one, other) => fromIso(other.takenAt) - fromIso(one.takenAt))
  return {
    title: 'Compliance',
    sentence:
      due.length === 0
        ? `No clock runs and no full count is due; ${countOf(audits.length, 'audit')} ${audits.length === 1 ? 'is' : 'are'} on record.`
        : `${countOf(due.length, 'thing')} ${due.length === 1 ? 'has' : 'have'} a date: ${due[0]!.store}, ${due[0]!.what}.`,
    timeZone: 'UTC',
    parts: [
      filterForm('/compliance', [storeFilter(request, named)]),
      dueTable(due),
      auditsTable(audits),
      actionForms(request, [['begin-audit', { store: named }]]),
    ],
    command: 'tillage audit list',
  }
}

interface DueThing {
  store: string
  what: string
  dueAt: string
  isLate: boolean
}

/** What is due first comes first. */
async function dueOf(
  { config, database: { ledger }, outbound }: PagePlace,
  stores: readonly string[],
  nowMs: number,
): Promise<DueThing[]> {
  const due: DueThing[] = []
  const kept = { outbound: askedOnce(outbound), ledger }
  for (const store of stores) {
    const standing = await readReconcileStanding(config, kept, store)
    for (const what of standing?.attention ?? [])
      due.push({ store, what, dueAt: standing!.dueAt, isLate: standing!.isOverdue })
    for (const clock of openClocks(config.exports, store))
      due.push({
        store,
        what: `${clock.audit}: ${describeClock(clock, nowMs)}`,
        dueAt: clock.dueAt,
        isLate: fromIso(clock.dueAt) < nowMs,
      })
  }
  return due.toSorted((one, other) => fromIso(one.dueAt) - fromIso(other.dueAt))
}

const dueTable = (due: readonly DueThing[]): DataTable => ({
  id: 'due',
  title: 'What has a date',
  columns: [{ name: 'due (UTC)' }, { name: 'store' }, { name: 'stands' }, { name: 'what' }],
  rows: due.map(({ store, what, dueAt, isLate }) => [
    toMinute(dueAt),
    store,
    statusCell(isLate ? 'failed' : 'late', isLate ? 'late' : 'due'),
    what,
  ]),
  empty: 'No clock runs, and no full reconciliation is due.',
})

const STATUS_OF = {
  counting: 'running',
  reported: 'done',
  confirmed: 'late',
  discarded: 'not due',
} as const

const auditsTable = (audits: readonly ListedAudit[]): DataTable => ({
  id: 'audits',
  title: 'Audits',
  columns: [
    { name: 'audit', kind: 'id' },
    { name: 'store' },
    { name: 'state' },
    { name: 'taken (UTC)' },
    { name: 'lines', kind: 'number' },
    { name: 'rooms' },
  ],
  rows: audits.map(({ audit, store, state, takenAt, lines, rooms }) => [
    link(pathOf('audits', audit), audit),
    store,
    statusCell(STATUS_OF[state], state),
    toMinute(takenAt),
    lines,
    rooms.length === 0 ? 'all' : rooms.join(', '),
  ]),
  empty: 'There are no audits yet. tillage audit snapshot begins one.',
})

/** One audit: what was to be counted, how far it is, and every file of it. */
export const showAudit: ShowPage = async ({ config, outbound }, request) => {
  const { params, nowMs } = request
  const folder = findAudit(config.exports, params['id'] ?? '')
  if (folder === undefined) return undefined
  const { audit, store } = folder
  const listed = listedAudit(folder)
  const snapshot = readSnapshot(folder)
  const clocks = openClocks(config.exports, store).filter(clock => clock.audit === audit)
  const plans = (await outbound.plans('reconcile')).filter(({ facts }) => facts['audit'] === audit)
  return {
    title: audit,
    sentence: `An audit of ${snapshot.storeName ?? store}, taken ${localMinute(fromIso(snapshot.endedAt), snapshot.timeZone)}: ${countOf(listed.lines, 'line')} on the sheets; it is ${listed.state}.`,
    timeZone: snapshot.timeZone,
    parts: [
      factList('What is known of it', [
        ['store', store],
        ['licence', snapshot.storeLicense ?? 'the API does not say it'],
        ['rooms', snapshot.rooms.map(({ name }) => name).join(', ')],
        ['sheets', snapshot.isBlind ? 'say nothing of what there should be' : 'show stock'],
        [
          'may be reconciled',
          snapshot.permission.performReconciliation
            ? 'yes'
            : 'no: the key lacks PERFORM_RECONCILIATION',
        ],
        ...(listed.discard === undefined
          ? []
          : [['discarded', describeDiscard(listed.discard)] as const]),
        ['clocks', clocks.map(clock => describeClock(clock, nowMs)).join('; ') || 'none runs'],
      ]),
      plansTable(plans.map(({ plan, createdAt }) => ({ plan, createdAt }))),
      filesTable(request.person, audit, filesOfAudit(folder)),
      actionForms(request, [
        ...(hasReportedCounts(folder) ? [['plan-reported', { audit }] as const] : []),
        ...actionsOf(folder, clocks.length > 0),
      ]),
    ],
    command: `tillage audit list --store ${store}`,
  }
}

function actionsOf(folder: AuditFolder, isRunning: boolean) {
  const records = recordsOf(folder)
  const state = stateOf(records)
  return [
    ...(state === 'discarded' ? [] : ['report-counts']),
    ...(isUncounted(records) ? ['discard-audit'] : []),
    // What nobody has compared yet cannot be confirmed.
    ...(state === 'reported' ? ['confirm-discrepancy'] : []),
    ...(state === 'confirmed' ? ['withdraw-discrepancy'] : []),
    ...(isRunning ? ['step-done'] : []),
  ].map(name => [name, { audit: folder.audit }] as const)
}

const plansTable = (plans: readonly { plan: string; createdAt: string }[]): DataTable => ({
  id: 'plans',
  title: 'Plans that send its counts',
  columns: [{ name: 'plan', kind: 'id' }, { name: 'made (UTC)' }],
  rows: plans.map(({ plan, createdAt }) => [
    link(pathOf('plans', plan), plan),
    toMinute(createdAt),
  ]),
  empty: 'None was made yet. Once counts were compared, they can be planned from here.',
})

/** What the folders of an audit hold, in the order in which people need it. */
const KINDS: Readonly<Record<string, string>> = {
  sheets: 'to count on',
  reports: 'report',
  plans: 'plan and its receipts',
  discrepancy: 'discrepancy',
  counts: 'what was counted',
  state: 'list of the state',
}

/** What only a program reads is evidence, wherever it lies. */
const kindOf = (file: string): string => (file.endsWith('.json') ? '' : file.split('/')[0]!)

const rankOf = (file: string): number => {
  const rank = Object.keys(KINDS).indexOf(kindOf(file))
  return rank < 0 ? Object.keys(KINDS).length : rank
}

const filesTable = (person: Person, audit: string, files: readonly string[]): DataTable => ({
  id: 'files',
  title: 'Sheets to count on, and its other files',
  columns: [{ name: 'what' }, { name: 'file', kind: 'id' }],
  rows: files
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map(file => [KINDS[kindOf(file)] ?? 'evidence', auditFile(person, { audit, file })]),
  empty: 'There is none.',
})
