import type { ClientBase } from 'pg'
import type { Cell, CopyReader, RowsQuestion } from '../../copy/ends.ts'
import { COPYING, MOVED } from '../../copy/marks.ts'
import { isComputed } from '../../copy/plan-tables.ts'
import { selectRows } from '../../copy/select-rows.ts'
import { quoteName as quote } from '../../quote.ts'
import { TABLES_BESIDE } from '../schema/beside.ts'

/** Characters of rows that are in memory at a time, about. */
const BATCH_LETTERS = 1 << 20
const MOST_ROWS = 5_000

interface TableColumn {
  table: string
  column: string
  type: string
  isKey: boolean
  /** Rows are numbered in it: by whoever adds them, or always. */
  numbers: '' | 'd' | 'a'
}

/** The tables that are copied, with their columns. */
export type Tables = Map<string, TableColumn[]>

/** Rows out of a schema, over one connection; in a transaction. */
export const readerOf = (client: ClientBase, place: string, tables: Tables): CopyReader => ({
  place,
  shapes: async () =>
    [...tables].map(([name, columns]) => ({
      name,
      columns: columns.map(({ column }) => column),
      key: columns.filter(({ isKey }) => isKey).map(({ column }) => column),
    })),
  rows: question => rowsOf(client, question, tables.get(question.table)!),
  counters: () => countersOf(client, tables),
})

const COLUMNS = `
  SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, NULL) AS type,
    coalesce(a.attnum = ANY (i.indkey), false) AS "isKey", a.attidentity AS numbers
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
    AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  ORDER BY c.relname, a.attnum`

export async function readTables(client: ClientBase): Promise<Tables> {
  const { rows } = await client.query<TableColumn>(COLUMNS)
  const copied = rows.filter(({ table }) => !isOwn(table) && !isComputed(table))
  return Map.groupBy(copied, ({ table }) => table)
}

/** How tables came about, what counters and marks tell, and what is beside the story. */
const isOwn = (table: string): boolean =>
  table.startsWith('tillage_') ||
  TABLES_BESIDE.has(table) ||
  ['audit_log_last', MOVED, COPYING].includes(table)

/** Cursors of a transaction have names; no two are the same. */
let opened = 0

async function* rowsOf(
  client: ClientBase,
  question: RowsQuestion,
  described: readonly TableColumn[],
): AsyncIterable<Cell[][]> {
  const types = new Map(described.map(({ column, type }) => [column, type]))
  const fractions = question.columns.flatMap((name, at) =>
    types.get(name) === 'double precision' ? [at] : [],
  )
  const sql = selectRows(question, (value, column) => asText(value, types.get(column)!))
  const cursor = `copied_${++opened}`
  await client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`)
  let most = 100
  for (;;) {
    const fetch = { text: `FETCH ${most} FROM ${cursor}`, rowMode: 'array' as const }
    const { rows } = await client.query<Cell[]>(fetch)
    if (rows.length === 0) break
    // Both write the shortest text that means the number, and not the same one.
    for (const row of rows)
      for (const at of fractions) if (row[at] !== null) row[at] = String(Number(row[at]))
    const letters = rows.reduce((sum, row) => sum + lettersOf(row), 1)
    most = Math.max(1, Math.min(MOST_ROWS, Math.floor((BATCH_LETTERS * rows.length) / letters)))
    yield rows
  }
  await client.query(`CLOSE ${cursor}`)
}

const lettersOf = (row: readonly Cell[]): number =>
  row.reduce((sum, cell) => sum + (cell?.length ?? 4), 0)

const asText = (value: string, type: string): string =>
  type === 'boolean' ? `${value}::int::text` : `${value}::text`

async function countersOf(client: ClientBase, tables: Tables): Promise<Map<string, number>> {
  const counters = new Map<string, number>()
  for (const [table, columns] of tables)
    for (const { column } of columns.filter(({ numbers }) => numbers === 'd')) {
      const { rows } = await client.query<{ last: number }>(
        `SELECT greatest(max(${quote(column)}), pg_sequence_last_value(
           pg_get_serial_sequence($1, $2)::regclass), 0) AS last FROM ${quote(table)}`,
        [table, column],
      )
      counters.set(table, rows[0]!.last)
    }
  const { rows } = await client.query<{ seq: number }>('SELECT seq FROM audit_log_last')
  return counters.set('audit_log', rows[0]?.seq ?? 0)
}
