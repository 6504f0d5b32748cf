import {
  heading,
  needs,
  result,
  section,
  signatures,
  writeDocument,
} from '../../../documents/document.ts'
import type { DocumentHead } from '../../../documents/document.ts'
import { html } from '../../../documents/html.ts'
import type { Content, Html } from '../../../documents/html.ts'
import { table } from '../../../documents/table.ts'
import type { Column, Row } from '../../../documents/table.ts'
import { amountText, sum } from '../../../money/amount.ts'
import { kindText, memoOf, sidesOf } from '../entry.ts'
import type { JournalEntry, JournalLine } from '../entry.ts'
import { countedIn, creditOf, debitOf } from './journal.ts'
import type { Journal, WrittenFormat } from './journal.ts'

/**
 * The journal as a document that people print, sign and file. It says what the other formats of its
 * revision say and nothing of today, so that it can be written again as it was.
 */
export function writePage({ store, entries }: Journal): string {
  const last = entries.at(-1)
  const { code, location, currency = store.currency ?? '' } = last?.store ?? store
  const day = last?.businessDate ?? ''
  const name = location === code ? location : `${location} (${code})`
  const head: DocumentHead = { title: 'Sales journal', number: last?.number ?? '', of: [name, day] }
  return writeDocument(head, [
    heading(head),
    result(describeResult(entries, { day, location, currency })),
    needs(entries.flatMap(entry => openPoints(entry, currency))),
    entries.map(entry => section(titleOf(entry), linesTable(entry, currency))),
    signatures(['Prepared by', 'Reviewed by']),
  ])
}

function describeResult(
  entries: readonly JournalEntry[],
  { day, location, currency }: { day: string; location: string; currency: string },
): string {
  const posted = entries.filter(({ lines }) => lines.length > 0)
  if (posted.length === 0) return `${location} has no sales to post on ${day}.`
  const said = posted.map(({ number, kind, lines }) => {
    const verb = { posting: 'posts', reversal: 'takes back', change: 'changes them by' }[kind]
    return `${number} ${verb} ${amountText(sidesOf(lines).debit)} ${currency}`.trimEnd()
  })
  return `The sales of ${day} at ${location}: ${said.join('; ')}, with equal debits and credits.`
}

/** What is not settled by the entry: costs that nobody knew, and what somebody accepted. */
function openPoints({ number, note, kind, lines }: JournalEntry, currency: string): string[] {
  const parked = lines.filter(({ metric }) => metric === 'suspense')
  if (kind === 'reversal') return []
  return [
    ...(note === undefined ? [] : [`${number} is posted ${note}.`]),
    ...(parked.length === 0
      ? []
      : [
          `${number} has ${amountText(sum(parked.map(({ amount }) => amount)))} ${currency} on ` +
            `${parked[0]!.account.code} ${parked[0]!.account.name}, because somebody accepted a ` +
            'difference; the file of exceptions has the reason.',
        ]),
  ]
}

function titleOf(entry: JournalEntry): string {
  const dated = entry.date === entry.businessDate ? '' : `, dated ${entry.date}`
  return `${entry.number}: ${kindText(entry)}sales of ${entry.businessDate}${dated}`
}

function linesTable(entry: JournalEntry, currency: string): Html {
  const unit = currency === '' ? '' : `, ${currency}`
  const columns: readonly Column[] = [
    { name: 'Account', kind: 'word' },
    { name: 'What' },
    { name: 'Of' },
    { name: 'Receipts', kind: 'number' },
    { name: `Debit${unit}`, kind: 'number' },
    { name: `Credit${unit}`, kind: 'number' },
  ]
  return table(columns, rowsOf(entry))
}

function rowsOf(entry: JournalEntry): Row[] {
  if (entry.lines.length === 0) return []
  const { debit, credit } = sidesOf(entry.lines)
  const total: Content[] = [
    '',
    bold('Total'),
    '',
    '',
    bold(amountText(debit)),
    bold(amountText(credit)),
  ]
  return [
    ...entry.lines.map(line => ({
      cells: [
        line.account.code,
        memoOf(line),
        partOfSales(line),
        countedIn(entry, line) ?? '',
        debitOf(line),
        creditOf(line),
      ],
    })),
    { cells: total },
  ]
}

const bold = (text: string): Html => html`<b>${text}</b>`

/** Which of the sales a line is about: `adult use, Flower`. */
const partOfSales = ({ consumerType, category, tender, authority }: JournalLine): string =>
  [consumerType, category, tender, authority]
    .filter(part => part !== '')
    .map(part => part.replaceAll('_', ' '))
    .join(', ')

export const page: WrittenFormat = { extension: 'html', write: writePage, sums: () => ({}) }
