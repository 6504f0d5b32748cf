/** What a table holds, in figures: for each store and month how many rows, their sum and hash. */
import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { addDecimal, newDecimalTotals, sumOf } from '../../money/decimal-totals.ts'
import type { DecimalTotals } from '../../money/decimal-totals.ts'
import { quoteName as quote } from '../quote.ts'
import { bookedAtSql, rowTable } from '../stream-sql.ts'
import type { Columns, Stream } from '../stream.ts'
import type { Cell, CopyReader, RowsQuestion } from './ends.ts'
import type { CopiedTable } from './plan-tables.ts'
import { withoutNul } from './restore-nul.ts'

export interface Fingerprint {
  table: string
  /** Empty: of no store. */
  store: string
  /** `yyyy-MM` in UTC, of records when they were booked or changed; empty: of no time. */
  month: string
  rows: number
  /** Of all its decimals, exact; null where it has none. */
  sum: string | null
  hash: string
}

/** By table, store and month. */
export async function fingerprintsOf(
  reader: CopyReader,
  table: CopiedTable,
  streams: readonly Stream[],
): Promise<Map<string, Fingerprint>> {
  const groups = new Map<string, Group>()
  const decimals = decimalsOf(table, streams)
  for await (const rows of reader.rows({
    ...table,
    table: table.name,
    beside: besideOf(table, streams),
  }))
    for (const row of rows) {
      const month = monthOf(row.pop()!)
      const store = row.pop() ?? ''
      const name = `${store} ${month}`
      const group = groups.get(name) ?? newGroup(store, month)
      groups.set(name, group)
      addRow(group, row, decimals)
    }
  const sums = decimals.length > 0
  return new Map(
    [...groups].map(([name, { store, month, rows, totals, hash }]) => [
      `${table.name} ${name}`,
      {
        table: table.name,
        store,
        month,
        rows,
        sum: sums ? sumOf(totals) : null,
        hash: hash.digest('hex'),
      },
    ]),
  )
}

interface Group {
  store: string
  month: string
  rows: number
  totals: DecimalTotals
  hash: Hash
}

const newGroup = (store: string, month: string): Group => ({
  store,
  month,
  rows: 0,
  totals: newDecimalTotals(),
  hash: createHash('sha256'),
})

/** With its length before each cell, so that no two rows look the same. */
function addRow(group: Group, row: readonly Cell[], decimals: readonly number[]): void {
  group.rows++
  for (const at of decimals) if (row[at] !== null) addDecimal(group.totals, row[at]!)
  group.hash.update(
    row.map(cell => (cell === null ? '-' : `${cell.length}:${withoutNul(cell)}`)).join(),
  )
}

const monthOf = (epochMs: Cell): string =>
  epochMs === null ? '' : new Date(Number(epochMs)).toISOString().slice(0, 7)

/** The store and the time of each row, also of lines, which point to their record. */
function besideOf(
  table: CopiedTable,
  streams: readonly Stream[],
): NonNullable<RowsQuestion['beside']> {
  const own = streams.find(({ name }) => rowTable(name) === table.name)
  if (own !== undefined) return { join: '', values: ['t.store_id', asText(timeOf(own))] }
  const parent = streams.find(({ children }) => childOf(children, table.name) !== undefined)
  if (parent !== undefined)
    return {
      join: `LEFT JOIN (SELECT rid, store_id AS of_store, ${timeOf(parent)} AS of_time
        FROM ${rowTable(parent.name)}) r ON r.rid = t.rid`,
      values: ['r.of_store', asText('r.of_time')],
    }
  return {
    join: '',
    values: [table.columns.includes('store_id') ? 't.store_id' : "''", asText('NULL')],
  }
}

const asText = (value: string): string => `CAST(${value} AS TEXT)`

const timeOf = ({ bookedAt, cursor }: Stream): string =>
  bookedAt === undefined ? quote(cursor) : bookedAtSql(bookedAt)

const childOf = (children: Stream['children'], table: string): Columns | undefined =>
  Object.entries(children).find(([name]) => rowTable(name) === table)?.[1].columns

function decimalsOf(table: CopiedTable, streams: readonly Stream[]): number[] {
  const declared = streams
    .map(({ name, columns, children }) =>
      rowTable(name) === table.name ? columns : childOf(children, table.name),
    )
    .find(columns => columns !== undefined)
  return table.columns.flatMap((name, at) => (declared?.[name]?.kind === 'decimal' ? [at] : []))
}
