import type { ClientBase } from 'pg'
import { cellTables } from '../../cells.ts'
import type { CellTable } from '../../cells.ts'
import type { RecordStaging } from '../../sql/rows/kept-records.ts'
import { run } from '../../sql/steps.ts'
import {
  SUPERSEDED_ROWS,
  Staging,
  UNFIT_ROWS,
  stagedColumn,
  stagedTable,
} from '../../staged/stage-records.ts'
import type { PageOfRecords, PageRows } from '../../staged/stage-records.ts'
import type { ColumnKind, Stream } from '../../stream.ts'
import { RECORDS_IN_ROWS, TYPE_OF } from '../schema/stream-tables.ts'
import { copyInto, CopyRows } from './copy-rows.ts'

/** So much waits in memory until it is sent. */
const SENT_BYTES = 1 << 20

/**
 * Brings the records of pages into temporary tables, which end with the transaction: their types
 * are those of the stream's own tables. A few rows that are long look like thousands to the planner
 * unless they are counted, and it would read all of a stream's rows to look those few up.
 */
export async function stageRecords(
  client: ClientBase,
  stream: Stream,
  pages: Iterable<PageOfRecords>,
): Promise<PageRows[]> {
  const tables = tablesOf(stream)
  for (const { name, columns } of tables)
    await client.query(
      `CREATE TEMP TABLE ${name} (${columns
        .map(([column, kind]) => `${column} ${TYPE_OF[kind]}`)
        .join(', ')}) ${RECORDS_IN_ROWS} ON COMMIT DROP`,
    )
  const copies = new Map(
    tables.map(({ name, columns }) => [name, new CopyRows(columns.map(([, kind]) => kind))]),
  )
  const send = async (atLeast: number): Promise<void> => {
    for (const [name, rows] of copies)
      if (rows.bytes > atLeast) await copyInto(client, name, rows.take())
  }
  const staging = new Staging(name => copies.get(name)!, stream)
  const staged: PageRows[] = []
  for (const page of pages) {
    staged.push(staging.add(page))
    await send(SENT_BYTES)
  }
  await send(0)
  for (const name of [SUPERSEDED_ROWS, UNFIT_ROWS]) await client.query(`ANALYZE ${name} (rowid)`)
  return staged
}

/** The same for records that are kept. */
export const recordStaging = (client: ClientBase): RecordStaging => ({
  // Each part makes tables anew, and is sent.
  rowsAtOnce: 1_000,
  // No text of PostgreSQL holds a NUL.
  asHeld: key => key.replaceAll('\0', '\uFFFD'),
  *stage(stream, page) {
    yield async () => void (await stageRecords(client, stream, [page]))
    const names = cellTables(stream).map((_, at) => `${stagedTable(at)} (rowid)`)
    yield* run(`ANALYZE ${names.join(', ')}`)
  },
  *drop(stream) {
    const names = tablesOf(stream).map(({ name }) => `pg_temp.${name}`)
    yield* run(`DROP TABLE ${names.join(', ')}`)
  },
})

interface TempTable {
  name: string
  columns: readonly (readonly [name: string, kind: ColumnKind])[]
}

const NUMBER = ['rowid', 'integer'] as const

/** As `stage-records.ts` describes them. */
const tablesOf = (stream: Stream): TempTable[] => [
  {
    name: SUPERSEDED_ROWS,
    columns: [['id', 'text'], ['modified', 'integer'], ['raw', 'text'], NUMBER],
  },
  {
    name: UNFIT_ROWS,
    columns: [['record_key', 'text'], ['reason', 'text'], ['raw', 'text'], NUMBER],
  },
  ...cellTables(stream).map((table, at) => ({
    name: stagedTable(at),
    columns: [...kindsOf(table, at).map((kind, of) => [stagedColumn(of), kind] as const), NUMBER],
  })),
]

const kindsOf = ({ columns }: CellTable, at: number): ColumnKind[] => [
  ...Object.values(columns).map(({ kind }) => kind),
  ...(at === 0 ? (['text'] as const) : (['integer', 'integer'] as const)),
]
