import { parse } from 'yaml'
import { UsageError } from '../../errors.ts'
import { toAmount } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { TENDER_ROLES } from './chart.ts'
import { FIGURE_NAMES } from './closing.ts'
import type { Figures } from './closing.ts'

const NAMES: ReadonlySet<string> = new Set([
  ...FIGURE_NAMES,
  ...[...Object.keys(TENDER_ROLES), 'other'].map(tender => `tender:${tender}`),
])

const FORMS =
  'A CSV file has a header "figure,amount" or "store,figure,amount"; a YAML file has figures, ' +
  'and tenders: { cash: 70.63 }, under the id of a store or at the top.'

/** A line of a table of figures, with the row that it stands in. */
export interface ClosingRow {
  store: string
  figure: string
  amount: string
  row: number
}

/** The closing reports of a table, by store; the key is empty where it names no store. */
export const closingOfRows = (rows: readonly ClosingRow[], file: string): Map<string, Figures> =>
  readClosing(
    rows.map(({ store, figure, amount, row }) => ({
      store: store.trim(),
      figure: figure.trim(),
      value: amount,
      place: `line ${row}`,
    })),
    { file, ifEmpty: 'it has no line under a header "figure,amount"' },
  )

/** The same of YAML: figures and `tenders: { cash: 70.63 }`, under the store's id or at the top. */
export const closingOfYaml = (text: string, file: string): Map<string, Figures> =>
  readClosing(fromYaml(text, file), { file, ifEmpty: 'it names no figure' })

/** A figure that is not named is not compared. */
function readClosing(
  entries: readonly Entry[],
  { file, ifEmpty }: { file: string; ifEmpty: string },
): Map<string, Figures> {
  const stores = new Map<string, Map<string, Amount>>()
  const wrong = entries.flatMap(entry => takeIn(stores, entry))
  const problems = [...wrong, ...problemsOf(stores)]
  if (stores.size === 0 && problems.length === 0) problems.push(ifEmpty)
  if (problems.length > 0)
    throw new UsageError(
      `${file} is not a closing report:\n${problems.map(one => `  - ${one}`).join('\n')}`,
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
      `${place}: unknown figure; valid are ${FIGURE_NAMES.join(', ')} ` +
        'and tender:cash, tender:debit, ...',
    ]
  if (amount === undefined)
    return [`${place}: ${JSON.stringify(value)} is not an amount like 1234.50`]
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
