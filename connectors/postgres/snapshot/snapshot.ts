import type {
  BookedRecord,
  BooksToFill,
  Selection,
  Snapshot,
  StoredCell,
  StoredColumn,
  StoredTable,
} from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'
import { brokenCell, isWhole, orderOf, sourceOf } from '../../sql/stored-table.ts'
import { bookedAtSql } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { openConnections } from '../connection/connections.ts'
import { inOrder, statementsInOrder } from '../connection/sql-connection.ts'
import type { InOrder } from '../connection/sql-connection.ts'
import { storedView } from '../schema/stream-views.ts'
import { createCursors } from './cursors.ts'
import { lookUpsIn } from './look-ups.ts'
import { openBooks } from './snapshot-books.ts'
import type { OpenBooks } from './snapshot-books.ts'

/** One transaction that sees one state of the database until it is closed; writers go on. */
export async function openSnapshot(
  address: string,
  selection: Selection,
  books?: BooksToFill,
): Promise<Snapshot> {
  // Temporary tables are none where only reading is allowed.
  const connections = openConnections(address, { most: 1, readonly: books === undefined })
  try {
    const client = await connections.connect()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const asked = inOrder(client)
    const batch = await newestBatch(asked)
    const place = { address, inOrder: asked, store: selection.store }
    const filled = books && openBooks(place, books)
    return {
      ...snapshotOn(asked, selection, filled),
      batch: async () => batch,
      books: filled,
      async close() {
        filled?.close()
        client.release(true)
        await connections.end()
      },
    }
  } catch (cause) {
    await connections.end()
    throw cause
  }
}

function snapshotOn(
  asked: InOrder,
  { store, startMs: start, endMs: end }: Selection,
  books: OpenBooks | undefined,
): Omit<Snapshot, 'batch' | 'books' | 'close'> {
  const cursors = createCursors(asked)
  async function* cellsOf(
    table: StoredTable,
    columns: readonly (StoredColumn | undefined)[],
  ): AsyncIterable<StoredCell[][]> {
    const { relation } = table
    const file = relation === undefined ? undefined : await books!.provide(relation)
    if (file !== undefined) return yield* file.rows(columns)
    const cells = columns.map(cellSql).join(', ')
    yield* cursors(
      `SELECT ${cells} ${sourceOf(table, storedView)} ORDER BY ${orderOf(table)}`,
      isWhole(table) ? { store } : { store, start, end },
    )
  }
  return {
    async *rows(table, columns) {
      for await (const rows of cellsOf(table, columns)) {
        const broken = columns.find(
          (column, at) => column !== undefined && isBroken(column, rows, at),
        )
        if (broken !== undefined) throw brokenCell(table, broken)
        yield rows
      }
    },
    async *jsonRows(table) {
      const { columns } = table
      for await (const rows of cellsOf(table, columns))
        yield rows.map(row => `[${row.map((cell, at) => jsonOf(cell, columns[at]!)).join(',')}]`)
    },
    async *booked(stream, range) {
      for await (const rows of cursors(bookedSql(stream), { store, ...range }))
        yield rows.map(asBooked)
    },
    ...lookUpsIn(statementsInOrder(asked), store),
  }
}

/** The first question takes the snapshot. */
async function newestBatch(asked: InOrder): Promise<number> {
  const { rows } = await asked(client =>
    client.query<{ batch: number }>('SELECT coalesce(max(batch), 0) AS batch FROM readings'),
  )
  return rows[0]!.batch
}

/** Ids are sorted, and each record is looked up by its key: to sort them whole takes the disk. */
function bookedSql({ name, bookedAt: times }: Stream): string {
  const bookedAt = bookedAtSql(times!)
  return `SELECT picked.id, r.raw, picked.booked
    FROM (
      SELECT id, ${bookedAt} AS booked FROM ${storedView(name)}
      WHERE store_id = @store AND coalesce(deleted_because, '') <> 'absent'
        AND ${bookedAt} >= @startMs AND ${bookedAt} < @endMs ORDER BY id
    ) picked
    CROSS JOIN LATERAL (
      SELECT raw FROM ${storedView(name)} WHERE store_id = @store AND id = picked.id LIMIT 1
    ) r
    ORDER BY picked.id`
}

const asBooked = ([id, raw, bookedMs]: StoredCell[]): BookedRecord =>
  ({ id, raw, bookedMs }) as BookedRecord

/** The cell on row `r`. */
function cellSql(column: StoredColumn | undefined): string {
  if (column === undefined) return 'NULL'
  const cell = `r.${quoteName(column.name)}`
  return column.kind === 'boolean' ? `${cell}::int` : cell
}

/** Its type allows every whole number, and no calendar has days for all of them. */
const isBroken = ({ kind }: StoredColumn, rows: readonly StoredCell[][], at: number): boolean =>
  kind === 'timestamp' &&
  rows.some(({ [at]: cell }) => cell !== null && !(Math.abs(Number(cell)) <= LAST_CALENDAR_MS))

/** Where JavaScript's and DuckDB's calendars are still whole. */
const LAST_CALENDAR_MS = 8.64e15

/** Whole numbers that no double holds come as their digits. */
const jsonOf = (cell: StoredCell, { kind }: StoredColumn): string =>
  kind === 'integer' && cell !== null ? String(cell) : JSON.stringify(cell)
