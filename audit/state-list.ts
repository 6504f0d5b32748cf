import { UsageError } from '../errors.ts'
import { multiply, toAmount } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import { readBounded, readTables } from '../tables/read-tables.ts'
import { describeProblems } from './count-problem.ts'
import type { CountProblem } from './count-problem.ts'
import type { Unit } from './snapshot.ts'

/** A package as the state's system has it. */
export interface StatePackage {
  tag: string
  item: string
  location: string
  /** Of its unit. */
  quantity: Amount
  /** Grams and pieces; undefined: it is measured otherwise, or the list does not say. */
  unit: Unit | undefined
}

export interface StateList {
  file: string
  packages: readonly StatePackage[]
}

/**
 * The columns that are needed, by their names in exports of packages: those of Metrc's own grid, of
 * its API, and of tools that export from it. Case, blanks and dots do not count.
 */
const COLUMNS = {
  tag: ['tag', 'packagetag', 'label', 'packagelabel', 'package', 'packageid', 'uid'],
  quantity: ['quantity', 'qty', 'packagequantity', 'currentquantity'],
  unit: ['unitofmeasure', 'unitofmeasurename', 'unitofmeasureabbreviation', 'uom', 'unit'],
  item: ['item', 'itemname', 'product', 'productname'],
  location: ['location', 'locationname', 'room', 'roomname'],
} as const
type Column = keyof typeof COLUMNS

/** Grams in one; the pound of 1959 and its sixteenth are exact. */
const GRAMS: Readonly<Record<string, string>> = {
  g: '1',
  gram: '1',
  grams: '1',
  mg: '0.001',
  milligrams: '0.001',
  kg: '1000',
  kilograms: '1000',
  oz: '28.349523125',
  ounces: '28.349523125',
  lb: '453.59237',
  lbs: '453.59237',
  pounds: '453.59237',
}
const PIECES: ReadonlySet<string> = new Set(['ea', 'each', 'unit', 'units', 'count'])

/** Lines above the header that say what the list is. */
const MOST_ABOVE = 20

/**
 * Reads a list of packages that was exported from the state's system, as CSV or saved as a workbook
 * (its first worksheet). Throws a UsageError with every problem there is.
 */
export async function readStateList(file: string): Promise<StateList> {
  const rows = await rowsOf(file)
  const at = rows.slice(0, MOST_ABOVE).findIndex(isHeader)
  if (at < 0) throw noList(file)
  const header = rows[at]!.map(keyOf)
  const problems: CountProblem[] = []
  const packages = new Map<string, StatePackage>()
  for (const [below, row] of rows.slice(at + 1).entries()) {
    const cell = (column: Column): string => cellOf(row, header, column)
    const tag = cell('tag')
    if (tag === '') continue
    const place = { file, row: at + below + 2 }
    const amount = readQuantity(cell('quantity'), cell('unit'))
    if (packages.has(tag)) problems.push({ ...place, ...TWICE })
    else if (amount === undefined) problems.push({ ...place, ...NO_QUANTITY })
    else packages.set(tag, { tag, item: cell('item'), location: cell('location'), ...amount })
  }
  if (problems.length > 0)
    throw new UsageError(
      `${file} cannot be read:\n${describeProblems(problems).join('\n')}`,
      'Export the list again, and leave it as it is.',
    )
  return { file, packages: [...packages.values()] }
}

const TWICE = { column: 'tag', code: 'TAG_TWICE', message: 'this tag is in a row above already' }
const NO_QUANTITY = {
  column: 'quantity',
  code: 'QTY_INVALID',
  message: 'is not a quantity; write it like 12, 1,234.5 or 453.592 g',
}

const noList = (file: string): UsageError =>
  new UsageError(
    `${file} is not a list of packages: no row has a package tag and a quantity`,
    "Export the active packages of the state's system as CSV. Columns are found by names like " +
      `${COLUMNS.tag.slice(0, 4).join(', ')} and ${COLUMNS.quantity.join(', ')}.`,
  )

async function rowsOf(file: string): Promise<string[][]> {
  const bounded = readBounded(file, "Name the state's list of packages.")
  const read = 'problem' in bounded ? bounded : await readTables(bounded.bytes, isKnown)
  if ('problem' in read)
    throw new UsageError(`${file} cannot be read: ${read.problem.message}`, 'Export it again.')
  const lines = read.tables[0]?.lines ?? []
  return lines.map(line => line.map(({ value }) => String(value ?? '').trim()))
}

const isKnown = (name: string): boolean =>
  Object.values(COLUMNS).some(aliases => aliases.some(alias => alias === keyOf(name)))

const keyOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '')

const isHeader = (row: readonly string[]): boolean => {
  const names = row.map(keyOf)
  return [COLUMNS.tag, COLUMNS.quantity].every(aliases => aliases.some(one => names.includes(one)))
}

/** The first alias that the header has counts: an export may have an abbreviation as well. */
function cellOf(row: readonly string[], header: readonly string[], column: Column): string {
  const alias = COLUMNS[column].find(one => header.includes(one))
  return alias === undefined ? '' : (row[header.indexOf(alias)] ?? '')
}

/** `12`, `-3`, `1,234.5`, `453.592 g`: the unit stands in its column, or behind the number. */
function readQuantity(
  text: string,
  unit: string,
): Pick<StatePackage, 'quantity' | 'unit'> | undefined {
  const parts = /^(-?(?:\d+|\d{1,3}(?:,\d{3})+))(\.\d+)?\s*([a-z. ]*)$/i.exec(text)
  if (parts === null) return undefined
  const [, whole, fraction = '', behind = ''] = parts
  const quantity = toAmount(`${whole!.replaceAll(',', '')}${fraction}`)!
  const name = keyOf(unit) || keyOf(behind)
  const grams = GRAMS[name]
  if (grams !== undefined) return { quantity: multiply(quantity, toAmount(grams)!), unit: 'GRAM' }
  return { quantity, unit: PIECES.has(name) ? 'EACH' : undefined }
}
