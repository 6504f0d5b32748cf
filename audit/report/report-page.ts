import { escapeHtml } from '../../outbound/escape-html.ts'
import { pageTable, signatureLines, wholePage } from '../page.ts'
import type { AuditTable } from './table.ts'

/** What a page shows of the lines; the workbook has every column. */
const SHOWN: Readonly<Record<string, string>> = {
  room: 'Room',
  product: 'Product',
  batch_sku: 'Lot',
  package_tag: 'Tag',
  unit: 'Unit',
  expected_qty: 'Expected',
  counted_qty: 'Counted',
  recount_qty: 'Recounted',
  movement_since_snapshot: 'Moved',
  adjusted_expected: 'Adjusted',
  variance_qty: 'Difference',
  variance_cost: 'At cost',
  reason_code: 'Reason',
  counted_by: 'By',
}

/** The audit to print, sign and keep: every line, attestation and signature lines. */
export function reportPage(
  title: string,
  attestation: string,
  tables: Readonly<Record<'cover' | 'summary' | 'lines' | 'exceptions' | 'actions', AuditTable>>,
): string {
  const { cover, summary, lines, exceptions, actions } = tables
  return wholePage(title, [
    `<h1>${escapeHtml(title)}</h1>`,
    tableOf(cover),
    '<h2>Summary</h2>',
    tableOf(summary),
    '<h2>Exceptions</h2>',
    tableOf(exceptions),
    '<h2>Actions</h2>',
    tableOf(actions),
    '<h2>Lines</h2>',
    tableOf(pick(lines)),
    '<h2>Attestation</h2>',
    `<p>${escapeHtml(attestation)}</p>`,
    signatureLines(['Counter', 'Second counter', 'Manager', 'Witness']),
  ])
}

const tableOf = ({ columns, rows }: AuditTable): string =>
  pageTable(
    columns.map(({ name, isNumber }) => ({
      name: SHOWN[name] ?? name.replaceAll('_', ' '),
      isNumber: isNumber === true,
    })),
    rows,
  )

function pick(table: AuditTable): AuditTable {
  const places = Object.keys(SHOWN).map(name =>
    table.columns.findIndex(column => column.name === name),
  )
  return {
    ...table,
    columns: places.map(at => table.columns[at]!),
    rows: table.rows.map(row => places.map(at => row[at]!)),
  }
}
