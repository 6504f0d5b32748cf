import { localMinute } from '../calendar/clock.ts'
import { fromIso } from '../calendar/days.ts'
import { heading, result, section, signatures, writeDocument } from '../documents/document.ts'
import { html } from '../documents/html.ts'
import type { Html } from '../documents/html.ts'
import { facts, table } from '../documents/table.ts'
import type { Column } from '../documents/table.ts'
import { countLines, countRooms, describeWorth } from './plan.ts'
import type { PlanDocument } from './plan.ts'

/** A plan for people: what would be sent, line by line, and why; to print and to sign. */
export function planPage(document: PlanDocument, hash: string): string {
  const { plan, store, audit, lines, operations, requiredApprovals } = document
  const head = { title: 'Reconciliation plan', number: plan, of: [store], isLandscape: true }
  const sent = lines.filter(({ op_id: op }) => op !== null)
  return writeDocument(head, [
    heading(head),
    result(describeResult(document)),
    facts([
      ['Audit', audit],
      ['Planned', localMinute(fromIso(document.createdAt), document.timeZone)],
      ['Value of the changes at cost, all taken as positive', describeWorth(document)],
      ['Approvals', requiredApprovals === 2 ? 'two different people' : 'one person'],
      ['Approve only what has this hash', html`<span class="id">${hash}</span>`],
    ]),
    operations.map(operation =>
      section(
        operation.room,
        html`<p class="id">${operation.op_id}: ${operation.note}</p>
          ${linesTable(
            document,
            sent.filter(({ op_id: op }) => op === operation.op_id),
          )}`,
      ),
    ),
    section(
      'Unchanged',
      linesTable(
        document,
        lines.filter(({ op_id: op }) => op === null),
      ),
    ),
    section(
      'Approvals',
      signatures(requiredApprovals === 2 ? ['First approver', 'Second approver'] : ['Approver']),
    ),
  ])
}

function describeResult({ lines, operations, isFull, uncounted }: PlanDocument): string {
  const changed = lines.filter(({ delta }) => delta !== '0').length
  const sent = lines.filter(({ op_id: op }) => op !== null).length
  const left = describeUncounted(uncounted.length)
  const others = isFull ? `a full inventory: all ${sent} lines are sent` : left
  return (
    `${changed} of ${lines.length} counted lines change, in ${countRooms(operations.length)}; ` +
    `${others}.`
  )
}

function describeUncounted(lines: number): string {
  if (lines === 0) return 'every line of the sheets was counted'
  const stay =
    lines === 1 ? 'was not counted and stays as it is' : 'were not counted and stay as they are'
  return `${countLines(lines)} ${stay}`
}

const inCurrency = ({ currency }: PlanDocument): string =>
  currency === undefined ? '' : `, ${currency}`

const columnsOf = (document: PlanDocument): readonly Column[] => [
  { name: 'Product' },
  { name: 'Lot', kind: 'word' },
  { name: 'Unit' },
  { name: 'Before', kind: 'number' },
  { name: 'Counted', kind: 'number' },
  { name: 'Moved since', kind: 'number' },
  { name: 'To post', kind: 'number' },
  { name: 'Change', kind: 'number' },
  { name: `Value${inCurrency(document)}`, kind: 'number' },
  { name: 'Adjustment reason' },
  { name: 'Note' },
  { name: 'Package tag', kind: 'id tag' },
]

const linesTable = (document: PlanDocument, lines: PlanDocument['lines']): Html =>
  table(
    columnsOf(document),
    lines.map(line => ({
      cells: [
        line.product,
        line.batch_sku,
        line.unit,
        line.qty_before,
        line.counted,
        line.movement_since_count,
        line.qty_to_post,
        line.delta,
        line.value_delta ?? 'unknown',
        line.reason_code,
        line.note,
        line.package_tag,
      ],
    })),
  )
