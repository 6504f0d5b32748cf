import { escapeHtml } from '../outbound/escape-html.ts'
import type { Confirmation } from './confirmation.ts'
import { pageTable, signatureLines, wholePage } from './page.ts'

/** A line of a report that is out of tolerance, by the names of its columns. */
export type NoticeLine = Readonly<Record<string, string>>

const COLUMNS = [
  ['product', 'Product'],
  ['package_tag', 'Tag'],
  ['batch_sku', 'Lot'],
  ['room', 'Room'],
  ['unit', 'Unit'],
  ['adjusted_expected', 'Expected'],
  ['final_qty', 'Counted'],
  ['variance_qty', 'Difference'],
  ['variance_cost', 'At cost'],
] as const
const NUMBERS: ReadonlySet<string> = new Set([
  'adjusted_expected',
  'final_qty',
  'variance_qty',
  'variance_cost',
])

/**
 * The draft of a notification: what California's form DCC-LIC-028 asks for, filled in as far as the
 * audit knows it; the clocks name the rule. Nobody is told anything by the program.
 */
export function noticePage(
  confirmation: Confirmation,
  about: { storeName: string; license: string },
  lines: readonly NoticeLine[],
): string {
  const { audit, by, reason, confirmedAt, significant, clocks } = confirmation
  const facts = [
    ['Licensee', about.storeName],
    ['Licence', about.license || 'not said by the API: ______________________'],
    ['Audit', audit],
    ['Discovered and confirmed', `${confirmedAt}, by ${by}`],
    ['Significant because', significant.join('; ') || 'a person says so'],
    ['What happened', reason],
    ...clocks.map(({ step, dueAt, source }) => [`The ${step} is due`, `${dueAt} (${source})`]),
    ['Law enforcement agency, and when it was told', '______________________'],
    ['Case number', '______________________'],
  ]
  const title = `Draft: notification of a significant discrepancy, ${audit}`
  return wholePage(title, [
    `<h1>${escapeHtml(title)}</h1>`,
    '<p>To the Department and to the police, each separately. ' +
      'Check it, complete it, and send it yourself.</p>',
    pageTable([{ name: 'item' }, { name: 'value' }], facts),
    '<h2>Items</h2>',
    pageTable(
      COLUMNS.map(([name, shown]) => ({ name: shown, isNumber: NUMBERS.has(name) })),
      lines.map(line => COLUMNS.map(([name]) => line[name] ?? '')),
    ),
    signatureLines(['Reported by']),
  ])
}
