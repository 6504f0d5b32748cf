import { brokenCell } from '../connectors/database-for-exports.ts'
import type { Snapshot, StoredCell } from '../connectors/destination/snapshot.ts'
import { addDecimal, newDecimalTotals } from '../money/decimal-totals.ts'
import type { DecimalTotals } from '../money/decimal-totals.ts'
import { decimalType, plainDecimal } from '../money/decimal.ts'
import { FINE_PLACES } from './dataset.ts'
import type { Dataset, DatasetColumn } from './dataset.ts'
import type { ExportColumn } from './formats/format.ts'

const TYPES: Readonly<Record<Exclude<DatasetColumn['kind'], 'decimal'>, string>> = {
  text: 'VARCHAR',
  date: 'DATE',
  integer: 'BIGINT',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
}

/** The columns of a dataset as one export writes them. */
export const exportColumns = (dataset: Dataset, people: boolean): ExportColumn[] =>
  dataset.columns.map(column => {
    const { kind, places = FINE_PLACES } = column
    const masked = column.person && !people
    return {
      ...column,
      masked,
      type: kind === 'decimal' ? decimalType(places) : TYPES[kind],
      totals: kind === 'decimal' && !masked ? newDecimalTotals() : undefined,
    }
  })

/**
 * Rows as every format writes them: decimals in plain digits, texts without NUL characters, which
 * CSV and Excel have no place for. Decimals are added to the totals of their columns, unless the
 * rows are read once more.
 */
export async function* exportRows(
  snapshot: Snapshot,
  dataset: Dataset,
  columns: readonly ExportColumn[],
  isFirst: boolean,
): AsyncGenerator<StoredCell[][]> {
  const texts = columns.flatMap(({ kind }, at) => (kind === 'text' ? [at] : []))
  const decimals = columns.flatMap(({ totals }, at) =>
    totals === undefined ? [] : [{ at, totals }],
  )
  const read = columns.map(column => (column.masked ? undefined : column))
  for await (const rows of snapshot.rows(dataset, read)) {
    for (const row of rows) {
      for (const at of texts) row[at] = withoutNul(row[at]!)
      for (const { at, totals } of decimals) {
        const plain = plainCell(row[at]!, totals, isFirst)
        if (plain === undefined) throw brokenCell(dataset, columns[at]!)
        row[at] = plain
      }
    }
    yield rows
  }
}

const withoutNul = (cell: StoredCell): StoredCell =>
  typeof cell === 'string' && cell.includes('\0') ? cell.replaceAll('\0', '') : cell

/** Undefined for what is no decimal: a number has been through a double, its digits are lost. */
function plainCell(
  cell: StoredCell,
  totals: DecimalTotals,
  isFirst: boolean,
): StoredCell | undefined {
  if (cell === null) return null
  if (typeof cell !== 'string') return undefined
  if (isFirst) addDecimal(totals, cell)
  if (totals.broken) return undefined
  return totals.rewritten ? plainDecimal(cell)! : cell
}
