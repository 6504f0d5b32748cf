import { quoteName } from '../connectors/quote.ts'
import { DatabaseError } from '../errors.ts'
import { FINE_PLACES } from './dataset.ts'
import type { Dataset, DatasetColumn } from './dataset.ts'
import { addDecimal, allFit, newDecimalTotals, sumOf } from './decimal-totals.ts'
import type { DecimalTotals } from './decimal-totals.ts'
import { decimalType } from './decimal.ts'
import { brokenCell, nulCell } from './formats/cells.ts'
import type { ExportColumn } from './formats/cells.ts'
import type { Snapshot } from './snapshot.ts'

/** What one pass over the rows of a request tells about a dataset, before anything is written. */
export interface Scan {
  rows: number
  columns: readonly ScannedColumn[]
  /** Exact sum of each decimal column. */
  sums: Record<string, string>
}

export interface ScannedColumn extends ExportColumn {
  /** Type in Parquet, as it is declared. */
  type: string
  /** How many of its decimals that type does not hold exactly; 0 for nearly all. */
  beyondType: number
}

const PARQUET_TYPE: Record<Exclude<DatasetColumn['kind'], 'decimal'>, string> = {
  text: 'VARCHAR',
  date: 'DATE',
  integer: 'BIGINT',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
}

const typeOf = ({ kind, places = FINE_PLACES }: DatasetColumn): string =>
  kind === 'decimal' ? decimalType(places) : PARQUET_TYPE[kind]

/** Counts rows and sums decimals exactly, in one pass. */
export function scanDataset(
  snapshot: Snapshot,
  dataset: Dataset,
  includePeople: boolean,
  step: (rows: number) => void,
): Scan {
  const columns = columnsOf(dataset, includePeople)
  const decimals = columns.filter(column => column.kind === 'decimal' && !column.masked)
  const totals = decimals.map(newDecimalTotals)
  const expressions = [
    anyOf(columns.map(brokenCell)),
    anyOf(columns.map(nulCell)),
    ...decimals.map(column => `r.${quoteName(column.name)}`),
  ]
  let rows = 0
  let broken = false
  let hasNul = false
  for (const row of snapshot.rows(dataset, expressions, false)) {
    if (row[0] !== 0) broken = true
    if (row[1] !== 0) hasNul = true
    for (let index = 0; index < totals.length; index++) addCell(totals[index]!, row[index + 2])
    if (++rows % 4096 === 0) step(rows)
  }
  const totalsOf = new Map(decimals.map((column, index) => [column.name, totals[index]!]))
  return describeRows(snapshot, dataset, includePeople, { rows, broken, hasNul, totals: totalsOf })
}

/** What went by while the rows of a dataset were read once. */
export interface SeenRows {
  rows: number
  /** Some cell is none of its kind. */
  broken: boolean
  /** Some text may have a NUL character that is not yet left out. */
  hasNul: boolean
  /** Of each decimal column. */
  totals: ReadonlyMap<string, DecimalTotals>
}

/** What that means for files. Refuses what no file could hold truthfully. */
export function describeRows(
  snapshot: Snapshot,
  dataset: Dataset,
  includePeople: boolean,
  { rows, broken, hasNul, totals }: SeenRows,
): Scan {
  const columns = columnsOf(dataset, includePeople)
  if (broken) refuseCells(snapshot, dataset, columns)
  refuseBroken(dataset, totals)
  return {
    rows,
    columns: columns.map(column => ({
      ...column,
      rewritten:
        totals.get(column.name)?.rewritten === true ||
        (hasNul && isThere(snapshot, dataset, nulCell(column))),
      type: typeOf(column),
      beyondType: countBeyond(snapshot, dataset, column, totals.get(column.name)),
    })),
    sums: Object.fromEntries([...totals].map(([name, total]) => [name, sumOf(total)])),
  }
}

const columnsOf = (dataset: Dataset, includePeople: boolean): ExportColumn[] =>
  dataset.columns.map(column => ({
    ...column,
    masked: column.person && !includePeople,
    rewritten: false,
  }))

/** True, 1, if one of the conditions holds, else 0. */
function anyOf(conditions: readonly (string | undefined)[]): string {
  const asked = conditions.filter(condition => condition !== undefined)
  return asked.length === 0 ? '0' : `coalesce(${asked.join(' OR ')}, 0)`
}

function addCell(total: DecimalTotals, value: unknown): void {
  if (value === null) return
  if (typeof value === 'string') addDecimal(total, value)
  // A number here has been through a double: its digits are lost already.
  else total.broken = true
}

function refuseBroken(dataset: Dataset, totals: ReadonlyMap<string, DecimalTotals>): void {
  for (const [name, total] of totals) if (total.broken) throw brokenColumn(dataset, name, 'decimal')
}

function isThere(snapshot: Snapshot, dataset: Dataset, condition: string | undefined): boolean {
  return condition !== undefined && countWhere(snapshot, dataset, condition) > 0
}

/** Asked for only where the column's own width says that there are some. */
function countBeyond(
  snapshot: Snapshot,
  dataset: Dataset,
  column: ExportColumn,
  total: DecimalTotals | undefined,
): number {
  const { name, places = FINE_PLACES } = column
  return total === undefined || allFit(total, places)
    ? 0
    : countWhere(snapshot, dataset, `beyond_decimal(r.${quoteName(name)}, ${places}) IS NOT NULL`)
}

function countWhere(snapshot: Snapshot, dataset: Dataset, condition: string): number {
  let count = 0
  for (const [holds] of snapshot.rows(dataset, [condition], false)) if (holds === 1) count++
  return count
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
      remedy:
        'the database was changed by something else; ' +
        `sync ${dataset.stream} for this range again`,
    },
  )
}
