import { localMinute } from '../../calendar/clock.ts'
import { fromIso } from '../../calendar/days.ts'
import {
  heading,
  needs,
  result,
  section,
  signatures,
  writeDocument,
} from '../../documents/document.ts'
import { html, NOTHING } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import { facts, table } from '../../documents/table.ts'
import type { Column } from '../../documents/table.ts'
import { roomName } from '../snapshot.ts'
import { actionsOf } from './actions.ts'
import type { Action } from './actions.ts'
import { aboutCount, aboutRules, aboutSnapshot, attestationOf, differingPackages } from './cover.ts'
import type { CoverFacts } from './cover.ts'
import { amountCell } from './lines.ts'
import type { AuditLine } from './lines.ts'
import { resultOf } from './result.ts'
import type { ComparedPackage } from './state-comparison.ts'
import type { AuditTable } from './table.ts'

type PageTables = Readonly<Record<'summary' | 'exceptions', AuditTable>>

/**
 * The audit to print, sign and keep: the result, what needs somebody, what differs, then what was
 * counted. The workbook has every line and every column.
 */
export function reportPage(cover: CoverFacts, tables: PageTables): string {
  const { snapshot, lines, settings } = cover
  const head = {
    title: 'Inventory audit',
    number: snapshot.audit,
    of: [snapshot.storeName ?? snapshot.store, snapshot.storeLicense ?? ''].filter(Boolean),
    isLandscape: true,
  }
  const counted = lines.filter(({ count }) => count !== undefined)
  const differ = counted.filter(({ variance }) => variance !== 0n)
  const page = {
    currency: settings.currency,
    isOneRoom: new Set(counted.map(({ room }) => room)).size === 1,
    isOneCounter: new Set(counted.map(whoCounted)).size === 1,
  }
  return writeDocument(head, [
    heading(head),
    result(resultOf(cover)),
    needs(actionsOf(cover).map(action => actionItem(action, snapshot.timeZone))),
    section('What differs', lineTable(differ, page)),
    section('Found, and no lot of the till', findTable(cover)),
    section('Shelf, till and state', stateTable(cover)),
    section('What else was seen', exceptionTable(tables.exceptions)),
    section(
      'Attestation',
      html`<p>${attestationOf(cover)}</p>
        ${signatures(['Counter', 'Second counter', 'Manager', 'Witness'])}`,
    ),
    section('The count', facts(pairs([...aboutSnapshot(cover), ...aboutCount(cover)]))),
    section('How it was judged', facts(pairs(aboutRules(cover)))),
    section('By room and category', summaryTable(tables.summary, page)),
    section('Every lot that was counted', lineTable(counted, { ...page, isRepeated: true })),
    section('Not counted', uncountedTable(cover)),
  ])
}

const pairs = (rows: readonly string[][]): [string, string][] =>
  rows.map(([name = '', value = '']) => [name, value])

function actionItem({ action, dueAt, source, doneBy, doneAt }: Action, timeZone: string): Html {
  const at = (iso: string): string => localMinute(fromIso(iso), timeZone)
  const due = dueAt === '' ? '' : `, by ${at(dueAt)}`
  const done = doneBy === '' ? '' : `. Done ${at(doneAt)}: ${doneBy}`
  const rule = source === '' ? NOTHING : html` <span class="id">${source}</span>`
  return html`${action}${due}${rule}${done}`
}

const lineColumns = (currency: string): readonly Column[] => [
  { name: 'Room' },
  { name: 'Product' },
  { name: 'Lot', kind: 'word' },
  { name: 'Unit' },
  { name: 'Expected', kind: 'number' },
  { name: 'Moved until the count', kind: 'number' },
  { name: 'Counted', kind: 'number' },
  { name: 'Recounted', kind: 'number' },
  { name: 'Difference', kind: 'number' },
  { name: `At cost, ${currency}`, kind: 'number' },
  { name: 'Adjustment reason' },
  { name: 'Note' },
  { name: 'By' },
  { name: 'Package tag', kind: 'id tag' },
]

/** What the page says once, above its tables: what is the same of every lot is in none of them. */
interface SaidOnce {
  currency: string
  isOneRoom: boolean
  isOneCounter: boolean
  /** What differs stands above with its value, reason and note. */
  isRepeated?: boolean
}

const lineTable = (lines: readonly AuditLine[], page: SaidOnce): Html =>
  table(
    lineColumns(page.currency),
    lines.map(line => ({ cells: lineCells(line, page) })),
  )

/** What moved nothing, and was recounted by nobody, is left empty. */
const lineCells = (
  line: AuditLine,
  { isOneRoom, isOneCounter, isRepeated = false }: SaidOnce,
): string[] => [
  isOneRoom ? '' : line.room,
  line.lot.product,
  line.lot.batchSku,
  line.lot.unit,
  amountCell(line.expected),
  line.movement === 0n ? '' : amountCell(line.movement),
  ...countCells(line, isRepeated && line.variance !== 0n),
  isOneCounter ? '' : whoCounted(line),
  line.lot.packageTag,
]

const whoCounted = ({ count }: AuditLine): string =>
  [count?.countedBy, count?.recountedBy].filter(Boolean).join(', ')

function countCells({ count, variance, varianceCost }: AuditLine, isRepeated: boolean): string[] {
  if (count === undefined) return Array.from({ length: 6 }, () => '')
  return [
    amountCell(count.counted),
    amountCell(count.recounted),
    amountCell(variance),
    ...(isRepeated
      ? ['', '', '']
      : [variance === 0n ? '' : amountCell(varianceCost, 2), count.reasonCode, count.note]),
  ]
}

/** On lines of their own: nobody knows what they are worth, and nothing of them is posted. */
const findTable = ({ counts, snapshot }: CoverFacts): Html =>
  table(
    [
      { name: 'Room' },
      { name: 'Product' },
      { name: 'SKU', kind: 'word' },
      { name: 'Found', kind: 'number' },
      { name: 'By' },
      { name: 'Note' },
      { name: 'Package tag', kind: 'id tag' },
    ],
    counts.finds.map(one => ({
      cells: [
        roomName(snapshot, one.inventoryId),
        one.product,
        one.sku,
        amountCell(one.counted),
        one.countedBy,
        one.note,
        one.tag === '' ? 'none' : one.tag,
      ],
    })),
  )

/** Of one kind, so many fit on a sheet of paper: more of them are the workbook's. */
const MOST_LISTED = 30

/** The differences that an inspector looks for, the gravest first; of many alike how many. */
function stateTable(cover: CoverFacts): Html {
  const byKind = [...Map.groupBy(differingPackages(cover), ({ kind }) => kind)]
  const few = byKind.filter(([, same]) => same.length <= MOST_LISTED)
  const many = byKind.filter(([, same]) => same.length > MOST_LISTED)
  const packages = packageTable(few.flatMap(([, same]) => same))
  if (many.length === 0) return packages
  return html`${packages}
  ${table(
    [{ name: 'What' }, { name: 'Packages', kind: 'number' }],
    many.map(([kind, same]) => ({ cells: [kind, String(same.length)] })),
  )}
  ${IN_WORKBOOK}`
}

const IN_WORKBOOK = html`<p>The workbook names each of them.</p>`

const packageTable = (packages: readonly ComparedPackage[]): Html =>
  table(
    [
      { name: 'What' },
      { name: 'Product' },
      { name: 'Room' },
      { name: 'Unit' },
      { name: 'Shelf', kind: 'number' },
      { name: 'Till', kind: 'number' },
      { name: 'State', kind: 'number' },
      { name: 'Package tag', kind: 'id tag' },
    ],
    packages.map(one => ({
      cells: [
        one.kind,
        one.product,
        one.rooms,
        one.unit,
        amountCell(one.shelf),
        amountCell(one.till),
        amountCell(one.state),
        one.tag,
      ],
    })),
  )

/** What nobody counted: lot by lot where it is little, else how much of it is in which room. */
function uncountedTable({ lines, coverage }: Pick<CoverFacts, 'lines' | 'coverage'>): Html {
  const uncounted = lines.filter(({ count }) => count === undefined)
  if (uncounted.length <= MOST_LISTED) return uncountedLots(uncounted)
  return html`${table(
    [{ name: 'Room' }, { name: 'Lots', kind: 'number' }, { name: 'Not counted', kind: 'number' }],
    coverage.rooms
      .filter(({ counted, lots }) => counted < lots)
      .map(({ name, counted, lots }) => ({
        cells: [name, String(lots), String(lots - counted)],
      })),
  )}
  ${IN_WORKBOOK}`
}

const uncountedLots = (lines: readonly AuditLine[]): Html =>
  table(
    [
      { name: 'Room' },
      { name: 'Product' },
      { name: 'Lot', kind: 'word' },
      { name: 'Unit' },
      { name: 'Expected', kind: 'number' },
      { name: 'Package tag', kind: 'id tag' },
    ],
    lines.map(({ room, lot, expected }) => ({
      cells: [room, lot.product, lot.batchSku, lot.unit, amountCell(expected), lot.packageTag],
    })),
  )

/** They have a place of their own on the page. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'out_of_tolerance',
  'uncounted',
  'reason_missing',
  'untagged_found',
  'unknown_package',
  'significant_discrepancy',
  'not_significant',
  'significance_not_judged',
])
const MOST_DETAILS = 5

/** One row for each kind: the same thing of a thousand lots is said once. */
function exceptionTable({ columns, rows }: AuditTable): Html {
  const at = (name: string): number => columns.findIndex(column => column.name === name)
  const seen = rows.filter(row => !SHOWN_ELSEWHERE.has(row[at('code')]!))
  const byCode = Map.groupBy(seen, row => row[at('code')]!)
  return table(
    [{ name: 'What' }, { name: 'Times', kind: 'number' }, { name: 'Which' }],
    [...byCode].map(([code, same]) => {
      const details = [...new Set(same.map(row => row[at('detail')]!))]
      const more = details.length - MOST_DETAILS
      const named = details.slice(0, MOST_DETAILS).join('; ')
      const which = more > 0 ? `${named}; and ${more} more, in the workbook` : named
      return { cells: [code.replaceAll('_', ' '), String(same.length), which] }
    }),
  )
}

/** As the workbook has it, in fewer columns, where something was counted. */
const SUMMARY_COLUMNS: Readonly<Record<string, string>> = {
  room: 'Room',
  category: 'Category',
  lots: 'Lots',
  counted_lots: 'Counted',
  abs_variance_cost: 'Differences at cost, CURRENCY',
  net_variance_cost: 'Net, CURRENCY',
  abs_variance_retail: 'Differences at retail, CURRENCY',
  accuracy_pct: 'In tolerance, %',
}

function summaryTable({ columns, rows }: AuditTable, { currency }: SaidOnce): Html {
  const places = Object.keys(SUMMARY_COLUMNS).map(name =>
    columns.findIndex(column => column.name === name),
  )
  const countedAt = columns.findIndex(({ name }) => name === 'counted_lots')
  return table(
    places.map((at): Column => {
      const { name, isNumber } = columns[at]!
      const title = SUMMARY_COLUMNS[name]!.replace('CURRENCY', currency)
      return { name: title, ...(isNumber === true ? { kind: 'number' } : {}) }
    }),
    rows.filter(row => row[countedAt] !== '0').map(row => ({ cells: places.map(at => row[at]!) })),
  )
}
