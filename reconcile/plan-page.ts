import { pageTable, signatureLines, wholePage } from '../audit/page.ts'
import { escapeHtml } from '../outbound/escape-html.ts'
import { countRooms, describeWorth } from './plan.ts'
import type { PlanDocument } from './plan.ts'

/** A plan for people: what would be sent, line by line, and why; to print and to sign. */
export function planPage(document: PlanDocument, hash: string): string {
  const { plan, store, audit, createdAt, lines, operations, uncounted } = document
  const sent = lines.filter(({ op_id: op }) => op !== null)
  const changed = lines.filter(({ delta }) => delta !== '0')
  const others = document.isFull
    ? `a full inventory: all ${sent.length} lines are sent`
    : `${uncounted.length} lines were not counted and stay as they are`
  const takesTwo = document.requiredApprovals === 2
  return wholePage(`Reconciliation plan ${plan}`, [
    `<h1>Reconciliation plan ${escapeHtml(plan)}</h1>`,
    `<p>Store ${escapeHtml(store)}, audit ${escapeHtml(audit)},`,
    `planned ${escapeHtml(createdAt)}.</p>`,
    `<p>${changed.length} of ${lines.length} counted lines change, in`,
    `${countRooms(operations.length)}; ${others}.</p>`,
    `<p>Value of the changes, all taken as positive: <b>${describeWorth(document)}</b>.`,
    `It takes ${takesTwo ? 'the approval of two different people' : 'one approval'}.</p>`,
    `<p>Approve only what has this hash: <span class="code">${hash}</span></p>`,
    ...operations.map(operation =>
      [
        `<h2>${escapeHtml(operation.room)} (${escapeHtml(operation.op_id)})</h2>`,
        `<p class="code">${escapeHtml(operation.note)}</p>`,
        linesTable(sent.filter(({ op_id: op }) => op === operation.op_id)),
      ].join('\n'),
    ),
    '<h2>Unchanged</h2>',
    linesTable(lines.filter(({ op_id: op }) => op === null)),
    '<h2>Approvals</h2>',
    signatureLines(takesTwo ? ['First approver', 'Second approver'] : ['Approver']),
  ])
}

const COLUMNS = [
  { name: 'Product' },
  { name: 'Lot' },
  { name: 'Tag' },
  { name: 'Unit' },
  { name: 'Before', isNumber: true },
  { name: 'Counted', isNumber: true },
  { name: 'Moved since', isNumber: true },
  { name: 'To post', isNumber: true },
  { name: 'Change', isNumber: true },
  { name: 'Value', isNumber: true },
  { name: 'Reason' },
  { name: 'Note' },
]

const linesTable = (lines: PlanDocument['lines']): string =>
  pageTable(
    COLUMNS,
    lines.map(line => [
      line.product,
      line.batch_sku,
      line.package_tag,
      line.unit,
      line.qty_before,
      line.counted,
      line.movement_since_count,
      line.qty_to_post,
      line.delta,
      line.value_delta ?? 'unknown',
      line.reason_code,
      line.note,
    ]),
  )
