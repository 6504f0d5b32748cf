import { parse } from 'yaml'
import { UsageError } from '../../errors.ts'
import { amountText, roundToCents, toAmount } from '../books/amount.ts'
import type { Amount } from '../books/amount.ts'
import type { Sale } from '../books/sale.ts'
import { TENDER_ROLES } from './chart.ts'
import type { TieOutRow } from './checks.ts'
import type { JournalLine, SourceMetric } from './entry.ts'
import { readCsv } from './formats/table.ts'

/**
 * A store's closing report (the till's Z report) or our own figures for the same names:
 * `net_sales`, `tax`, `tips`, `total_due`, `tender:cash`, ...
 */
export type Figures = ReadonlyMap<string, Amount>

const NAMES: ReadonlySet<string> = new Set([
  'net_sales',
  'tax',
  'tips',
  'total_due',
  ...[...Object.keys(TENDER_ROLES), 'other'].map(tender => `tender:${tender}`),
])

const FORMS =
  'A CSV file has a header "figure,amount" or "store,figure,amount"; a YAML file has figures, ' +
  'and tenders: { cash: 70.63 }, under the id of a store or at the top.'

/**
 * The closing reports of a file, by store; the key is empty where the file names no store.
 *
 * CSV: `figure,amount`, or `store,figure,amount`. YAML: figures and `tenders: { cash: 70.63 }`,
 * under the store's id or at the top. A figure that is not named is not compared.
 */
export function readClosing(text: string, file: string): Map<string, Figures> {
  const isYaml = /\.ya?ml$/i.test(file)
  const stores = new Map<string, Map<string, Amount>>()
  const wrong = (isYaml ? fromYaml(text, file) : fromCsv(text)).flatMap(entry =>
    takeIn(stores, entry),
  )
  const problems = [...wrong, ...problemsOf(stores)]
  if (stores.size === 0 && problems.length === 0)
    problems.push(isYaml ? 'it names no figure' : 'it has no line under a header "figure,amount"')
  if (problems.length > 0)
    throw new UsageError(
      `${file} is no closing report:\n${problems.map(one => `  - ${one}`).join('\n')}`,
      FORMS,
    )
  return stores
}

/** What is wrong with a figure; none if it was taken in. */
function takeIn(
  stores: Map<string, Map<string, Amount>>,
  { store, figure, value, place }: Entry,
): string[] {
  const amount = toAmount(value)
  const known = stores.get(store) ?? new Map<string, Amount>()
  if (!NAMES.has(figure))
    return [
      `${place}: there is no such figure; figures are net_sales, tax, tips, ` +
        'total_due and tender:cash, tender:debit, ...',
    ]
  if (amount === undefined) return [`${place}: the amount is not a decimal like 1234.50`]
  if (known.has(figure)) return [`${place}: ${figure} is there twice`]
  stores.set(store, known.set(figure, amount))
  return []
}

const problemsOf = (stores: ReadonlyMap<string, unknown>): string[] =>
  stores.has('') && stores.size > 1
    ? ['some figures name a store and others do not: name it with each of them, or with none']
    : []

interface Entry {
  store: string
  figure: string
  value: unknown
  place: string
}

function fromCsv(text: string): Entry[] {
  const lines = text.replace(/^\uFEFF/, '').replaceAll(/\r?\n/g, '\r\n')
  return readCsv(lines.endsWith('\r\n') ? lines : `${lines}\r\n`)
    .filter(row => Object.values(row).some(cell => cell.trim() !== ''))
    .map((row, index) => ({
      store: row['store']?.trim() ?? '',
      figure: row['figure']?.trim() ?? '',
      value: row['amount'] ?? '',
      place: `line ${index + 2}`,
    }))
}

function fromYaml(text: string, file: string): Entry[] {
  let document: unknown
  try {
    document = parse(text, { logLevel: 'error' })
  } catch {
    throw new UsageError(`${file} is not valid YAML`, FORMS)
  }
  const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const figures = (store: string, map: Record<string, unknown>): Entry[] =>
    Object.entries(map).flatMap(([name, value]): Entry[] => {
      const at = store === '' ? name : `${store}.${name}`
      if (name === 'tenders' && isMap(value))
        return Object.entries(value).map(([tender, amount]) => ({
          store,
          figure: `tender:${tender}`,
          value: amount,
          place: `${at}.${tender}`,
        }))
      return store === '' && isMap(value)
        ? figures(name, value)
        : [{ store, figure: name, value, place: at }]
    })
  return isMap(document) ? figures('', document) : []
}

/**
 * Which figure a line of the journal is a part of: net sales are the published ones, fees included
 * and taxes not.
 */
const FIGURES: Readonly<Partial<Record<SourceMetric, string>>> = {
  revenue: 'net_sales',
  return: 'net_sales',
  gift_card_sold: 'net_sales',
  discount: 'net_sales',
  discount_reversed: 'net_sales',
  delivery_fee: 'net_sales',
  payment_fee: 'net_sales',
  tax: 'tax',
  tip: 'tips',
}

/**
 * Adds one booked transaction to the day's own figures, as it is posted: a tax of 6.975 is 6.98 in
 * the journal and on the receipt. Tenders are without tips and cash back, which their lines hold
 * too.
 */
export function addFigures(
  figures: Map<string, Amount>,
  sale: Sale,
  lines: readonly JournalLine[],
): void {
  const add = (name: string, amount: Amount): void =>
    void figures.set(name, (figures.get(name) ?? 0n) + amount)
  for (const { metric, amount } of lines) {
    const figure = FIGURES[metric]
    if (figure !== undefined) add(figure, -amount)
  }
  add('total_due', roundToCents(sale.totalDue))
  for (const { tender, applied } of sale.payments) add(`tender:${tender}`, roundToCents(applied))
}

/** The closing report says what is expected, to the cent. */
export function compareClosing(closing: Figures, own: Figures): TieOutRow[] {
  return [...closing].map(([name, figure]) => {
    const expected = roundToCents(figure)
    const actual = own.get(name) ?? 0n
    return {
      check: `closing ${name}`,
      expected: amountText(expected),
      actual: amountText(actual),
      delta: amountText(actual - expected),
      status: actual === expected ? 'ok' : 'failed',
    }
  })
}
