import { localMinute } from '../calendar/clock.ts'
import { fromIso } from '../calendar/days.ts'
import { heading, result, section, signatures, writeDocument } from '../documents/document.ts'
import { html } from '../documents/html.ts'
import type { Content } from '../documents/html.ts'
import { facts, table } from '../documents/table.ts'
import type { Column } from '../documents/table.ts'
import type { Confirmation } from './confirmation.ts'

/** A line of a report that is out of tolerance, by the names of its columns. */
export type NoticeLine = Readonly<Record<string, string>>

export interface NoticeAbout {
  storeName: string
  license: string
  timeZone: string
  currency: string
}

const COLUMNS = [
  ['product', { name: 'Product' }],
  ['batch_sku', { name: 'Lot', kind: 'word' }],
  ['room', { name: 'Room' }],
  ['unit', { name: 'Unit' }],
  ['adjusted_expected', { name: 'Expected', kind: 'number' }],
  ['final_qty', { name: 'Counted', kind: 'number' }],
  ['variance_qty', { name: 'Difference', kind: 'number' }],
  ['variance_cost', { name: 'At cost', kind: 'number' }],
  ['package_tag', { name: 'Package tag', kind: 'id tag' }],
] as const satisfies readonly (readonly [string, Column])[]

const BLANK = html`<span class="blank"></span>`

/**
 * The draft of a notification: what California's form DCC-LIC-028 asks for, filled in as far as the
 * audit knows it; the clocks name the rule. Nobody is told anything by the program.
 */
export function noticePage(
  confirmation: Confirmation,
  about: NoticeAbout,
  lines: readonly NoticeLine[],
): string {
  const head = {
    title: 'Draft: notification of a significant discrepancy',
    number: confirmation.audit,
    of: [about.storeName, about.license].filter(Boolean),
    isLandscape: true,
  }
  return writeDocument(head, [
    heading(head),
    result(
      `${lines.length === 1 ? '1 lot is' : `${lines.length} lots are`} out of tolerance in audit ` +
        `${confirmation.audit}; ${confirmation.by} confirmed it on ` +
        `${localMinute(fromIso(confirmation.confirmedAt), about.timeZone)}.`,
    ),
    html`<p>
      To the authorities that the rules of the state name, and to the police, each separately. Check
      it, complete it, and send it yourself.
    </p>`,
    facts(knownFacts(confirmation, about)),
    section(
      `Items, at cost in ${about.currency}`,
      table(
        COLUMNS.map(([, column]) => column),
        lines.map(line => ({ cells: COLUMNS.map(([name]) => line[name] ?? '') })),
      ),
    ),
    signatures(['Reported by']),
  ])
}

function knownFacts(
  { audit, by, reason, confirmedAt, significant, reportSays, clocks }: Confirmation,
  { storeName, license, timeZone }: NoticeAbout,
): [string, Content][] {
  const at = (iso: string): string => localMinute(fromIso(iso), timeZone)
  return [
    ['Licensee', storeName],
    ['Licence', license || BLANK],
    ['Audit', audit],
    ['Discovered and confirmed', `${at(confirmedAt)}, by ${by}`],
    ['Significant because', significant.join('; ') || 'a person says so'],
    ['The report itself says', reportSays ?? ''],
    ['What happened', reason],
    ...clocks.map(({ step, dueAt, source }): [string, string] => [
      `The ${step} is due`,
      `${at(dueAt)} (${source})`,
    ]),
    ['Law enforcement agency, and when it was told', BLANK],
    ['Case number', BLANK],
  ]
}
