import { UsageError } from '../../errors.ts'
import type { Figures } from '../../exports/journal/closing.ts'
import { closingOfRows, closingOfYaml } from '../../exports/journal/read-closing.ts'
import type { ClosingRow } from '../../exports/journal/read-closing.ts'
import { explainComma, findDecimalStyle, withPoint } from '../../tables/decimals.ts'
import { decodeText } from '../../tables/encoding.ts'
import { resolveHeader } from '../../tables/header.ts'
import { readBounded, readTables } from '../../tables/read-tables.ts'
import type { Table, TableProblem } from '../../tables/table.ts'

const COLUMNS = [
  { name: 'store', aliases: ['store id', 'shop'] },
  { name: 'figure', aliases: ['name', 'line'] },
  { name: 'amount', aliases: ['value', 'total'] },
] as const

/** The closing report of `--closing`, as a spreadsheet saves it or as YAML, by store. */
export async function readClosingFile(
  path: string,
  stores: readonly string[],
): Promise<Map<string, Figures>> {
  const reports = await readReports(path)
  if (reports.has('') && stores.length > 1)
    throw new UsageError(
      `${path} does not say which store it is about`,
      'Name the store: --store ID, or a column "store" in the file.',
    )
  for (const store of reports.keys())
    if (store !== '' && !stores.includes(store))
      throw new UsageError(
        `${path} is about ${JSON.stringify(store)}, which is not among the stores of this run`,
        `Stores are: ${stores.join(', ')}.`,
      )
  return reports
}

async function readReports(path: string): Promise<Map<string, Figures>> {
  const bounded = readBounded(path, 'Name the closing report: --closing FILE.')
  if ('problem' in bounded) throw cannotRead(path, bounded.problem)
  if (/\.ya?ml$/i.test(path))
    return closingOfYaml(decodeText(bounded.bytes) ?? bounded.bytes.toString('utf8'), path)
  const read = await readTables(bounded.bytes, name => resolve([name])[0] !== undefined)
  if ('problem' in read) throw cannotRead(path, read.problem)
  return closingOfRows(rowsOf(path, read.tables[0] ?? { lines: [] }), path)
}

const cannotRead = (path: string, { message }: TableProblem): UsageError =>
  new UsageError(`${path} cannot be read: ${message}`, 'Save it again, as "CSV UTF-8" or as .xlsx.')

type Column = (typeof COLUMNS)[number]['name']

const resolve = (names: readonly string[]): (Column | undefined)[] =>
  resolveHeader(names, COLUMNS).map(name => COLUMNS.find(column => column.name === name)?.name)

/** Rows in which something stands, with decimals as we write them. */
function rowsOf(path: string, { lines, separator }: Table): ClosingRow[] {
  const [header = [], ...below] = lines.map(line => line.map(({ value }) => String(value ?? '')))
  const columns = resolve(header)
  const rows = below.map((line, at) => {
    const cell = (column: Column): string => (line[columns.indexOf(column)] ?? '').trim()
    return { store: cell('store'), figure: cell('figure'), amount: cell('amount'), row: at + 2 }
  })
  const style = findDecimalStyle(
    rows.map(({ amount }) => amount),
    separator,
  )
  const unclear = rows.flatMap(({ amount, row }) => {
    const why = explainComma(amount, style)
    return why === undefined ? [] : [`  - line ${row}: ${why}`]
  })
  if (unclear.length > 0)
    throw new UsageError(
      `${path} can be read in two ways:\n${unclear.join('\n')}`,
      'Write it with a point.',
    )
  return rows
    .filter(({ figure, amount }) => figure !== '' || amount !== '')
    .map(row => ({ ...row, amount: withPoint(row.amount, style) }))
}
