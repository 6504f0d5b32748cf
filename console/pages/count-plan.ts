import { basename, relative, sep } from 'node:path'
import { auditFolder } from '../../audit/folder.ts'
import { toMinute } from '../../calendar/days.ts'
import { showCounts } from '../../commands/plans/load-plans.ts'
import { countOf, formatNumber } from '../../commands/terminal/number.ts'
import type { OutboundPlan } from '../../connectors/destination/outbound.ts'
import { html } from '../../documents/html.ts'
import { saidOf } from '../../reconcile/show-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { inSentences } from '../../reconcile/story.ts'
import { countActions } from '../actions/of-plan.ts'
import type { Page, PagePlace, PageRequest } from '../page.ts'
import { auditFile } from '../parts/audit-file.ts'
import { pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { statusCell } from '../parts/status.ts'
import type { Person } from '../sessions.ts'
import { factsOf, planForms, SIGNATURES, statusOf, storyOf, waitsFor } from './plan-parts.ts'

/** A plan of counts: what differs, what can be decided, and what was counted as the till has it. */
export async function countPage(
  place: PagePlace,
  request: PageRequest,
  row: OutboundPlan,
): Promise<Page> {
  const shown = await showCounts(place, row.plan)
  const { plan, store, audit } = shown
  return {
    title: plan,
    sentence: sentenceOf(shown),
    timeZone: 'UTC',
    parts: [
      factsOf(shown, [
        ['store', store],
        ['audit', html`<a href="${pathOf('audits', audit)}">${audit}</a>`],
        ['not counted', countOf(shown.uncounted.length, 'line')],
        ['approvals needed', shown.requiredApprovals],
        ['approvals expire', expiryOf(shown)],
      ]),
      SIGNATURES,
      operationsTable(shown),
      linesTable('lines', 'Lines that differ', shown.lines.filter(differs)),
      receiptsTable(request.person, place.config.exports, shown),
      storyOf(inSentences(shown.story)),
      await planForms(place, request, {
        row,
        wanted: countActions(shown),
        changesAsked: shown.changesAsked,
      }),
      linesTable(
        'agreeing',
        'Lines that were counted as the till has them',
        shown.lines.filter(line => !differs(line)),
      ),
    ],
    command: `tillage reconcile show ${plan}`,
  }
}

type Line = ShownPlan['lines'][number]

const differs = ({ delta }: Line): boolean => delta !== '0'

function sentenceOf(shown: ShownPlan): string {
  const { store, lines } = shown
  const changed = countOf(lines.filter(differs).length, 'line')
  return (
    `Counts of ${store}: ${changed} of ${formatNumber(lines.length)} differed from the till ` +
    `when it was planned. ${endOf(shown)}`
  )
}

function endOf(shown: ShownPlan): string {
  const { state } = shown
  const ends: Readonly<Record<string, string>> = {
    approved: 'It is approved, and waits to be sent.',
    confirmed: 'All of it was sent and taken.',
    unchanged: 'There is nothing to send.',
    unexplained:
      'All of it was sent and taken, and lots are not as they were posted: look at them again.',
    unknown: 'Nobody knows whether all of it was taken: somebody has to decide.',
  }
  return waitsFor(shown) ?? ends[state] ?? `It is ${state}.`
}

const expiryOf = ({ expiresAt }: ShownPlan): string =>
  expiresAt === undefined ? 'there is none yet' : `${toMinute(expiresAt)} UTC`

const operationsTable = ({ operations }: ShownPlan): DataTable => ({
  id: 'operations',
  title: 'What is sent, room by room',
  columns: [
    { name: 'operation' },
    { name: 'room' },
    { name: 'state' },
    { name: 'request' },
    { name: 'reconciliation', kind: 'id' },
    { name: 'why' },
    { name: 'to decide' },
  ],
  rows: operations.map(one => [
    one.op_id,
    one.room,
    statusCell(statusOf(one.state), one.state),
    String(one.request_no ?? ''),
    one.reconciliation_id ?? '',
    one.error ?? '',
    one.choices.map(({ choice, means }) => `${choice}: ${means}`).join('; '),
  ]),
  empty: 'Nothing differs, so there is nothing to send.',
})

const linesTable = (id: string, title: string, lines: readonly Line[]): DataTable => ({
  id,
  title,
  columns: [
    { name: 'room' },
    { name: 'product' },
    { name: 'lot', kind: 'id' },
    { name: 'counted', kind: 'number' },
    { name: 'moved since', kind: 'number' },
    { name: 'the till has', kind: 'number' },
    { name: 'will have', kind: 'number' },
    { name: 'difference', kind: 'number' },
    { name: 'worth', kind: 'number' },
    { name: 'state' },
    { name: 'said of it' },
  ],
  rows: lines.map(line => [
    line.room,
    line.product,
    line.batch_sku,
    line.counted,
    line.movement_since_count,
    line.qty_before,
    line.qty_to_post,
    line.delta,
    line.value_delta ?? 'unknown',
    statusCell(statusOf(line.state), line.state),
    saidOf(line),
  ]),
  empty: 'There is none.',
})

/** What proves that a room was sent: of the audit, for whoever may see its files. */
const receiptsTable = (person: Person, exports: string, shown: ShownPlan): DataTable => ({
  id: 'receipts',
  title: 'Receipts',
  columns: [
    { name: 'number', kind: 'number' },
    { name: 'room' },
    { name: 'file', kind: 'id' },
    { name: 'sha256', kind: 'id' },
  ],
  rows: shown.receipts.map(({ seq, op_id: op, path, sha256 }) => [
    seq,
    shown.operations.find(one => one.op_id === op)?.room ?? op,
    auditFile(person, placeOf(exports, shown, path), basename(path)),
    sha256,
  ]),
  empty: 'Each room that is sent leaves one.',
})

function placeOf(exports: string, { store, audit }: ShownPlan, path: string) {
  const inside = relative(auditFolder(exports, store, audit).path, path).split(sep)
  return { audit, file: inside.join('/') }
}
