import { quoteName } from '../connectors/quote.ts'
import { DatabaseError } from '../errors.ts'
import { brokenCell } from './cells.ts'
import type { ExportColumn } from './cells.ts'
import type { Dataset, DatasetColumn } from './dataset.ts'
import { addDecimal, decimalType, newDecimalTotals, sumOf } from './decimal.ts'
import type { DecimalTotals } from './decimal.ts'
import type { Snapshot } from './snapshot.ts'

/** What one pass over the rows of a request tells about a dataset, before anything is written. */
export interface Scan {
  rows: number
  columns: readonly ScannedColumn[]
  /** Exact sum of each decimal column. */
  sums: Record<string, string>
}

export interface ScannedColumn extends ExportColumn {
  /** Type in Parquet; `undefined` if no type there holds the values. */
  type: string | undefined
}

const PARQUET_TYPE: Record<Exclude<DatasetColumn['kind'], 'decimal'>, string> = {
  text: 'VARCHAR',
  date: 'DATE',
  integer: 'BIGINT',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
}

/**
 * Counts rows, sums decimals exactly and finds their column types; refuses what no file could hold
 * truthfully.
 */
export function scanDataset(
  snapshot: Snapshot,
  dataset: Dataset,
  includePeople: boolean,
  step: (rows: number) => void,
): Scan {
  const columns = dataset.columns.map((column): ExportColumn => ({
    ...column,
    masked: column.person && !includePeople,
    rewritten: false,
  }))
  const decimals = columns.filter(column => column.kind === 'decimal' && !column.masked)
  const totals = decimals.map(newDecimalTotals)
  const checks = columns.map(brokenCell).filter(check => check !== undefined)
  const expressions = [
    `(${checks.length === 0 ? '0' : checks.join(' OR ')})`,
    ...decimals.map(column => `r.${quoteName(column.name)}`),
  ]
  let rows = 0
  let broken = false
  for (const row of snapshot.rows(dataset, expressions, false)) {
    if (row[0] !== 0) broken = true
    for (let index = 0; index < totals.length; index++) {
      const value = row[index + 1]
      const total = totals[index]
      if (value === null || total === undefined) continue
      if (typeof value === 'string') addDecimal(total, value)
      // A number here has been through a double: its digits are lost already.
      else total.broken = true
    }
    if (++rows % 4096 === 0) step(rows)
  }
  if (broken) refuseCells(snapshot, dataset, columns)
  return {
    rows,
    ...describe(
      dataset,
      columns,
      new Map(decimals.map((column, index) => [column.name, totals[index] ?? newDecimalTotals()])),
    ),
  }
}

function describe(
  dataset: Dataset,
  columns: readonly ExportColumn[],
  totals: ReadonlyMap<string, DecimalTotals>,
): Pick<Scan, 'columns' | 'sums'> {
  for (const [name, total] of totals) if (total.broken) throw brokenColumn(dataset, name, 'decimal')
  return {
    columns: columns.map(column => {
      if (column.kind !== 'decimal') return { ...column, type: PARQUET_TYPE[column.kind] }
      const total = totals.get(column.name) ?? newDecimalTotals()
      return { ...column, rewritten: total.rewritten, type: decimalType(total) }
    }),
    sums: Object.fromEntries([...totals].map(([name, total]) => [name, sumOf(total)])),
  }
}

/**
 * Finds out which column it was. Only now, since asking for each column apart would slow down every
 * healthy export.
 */
function refuseCells(
  snapshot: Snapshot,
  dataset: Dataset,
  columns: readonly ExportColumn[],
): never {
  const checked = columns.filter(column => brokenCell(column) !== undefined)
  for (const column of checked) {
    for (const [bad] of snapshot.rows(dataset, [brokenCell(column) ?? '0'], false))
      if (bad !== 0) throw brokenColumn(dataset, column.name, column.kind)
  }
  throw brokenColumn(dataset, '?', 'text')
}

/** Names the place, never the value (INV-10). */
function brokenColumn(
  dataset: Dataset,
  column: string,
  kind: DatasetColumn['kind'],
): DatabaseError {
  return new DatabaseError(
    'DATABASE_BROKEN',
    `${dataset.name}.${column} holds a value that is no ${kind}`,
    {
      remedy: `the database was changed by something else; sync ${dataset.stream} for this range again`,
    },
  )
}
