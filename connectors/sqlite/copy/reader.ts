import type Sqlite from 'better-sqlite3'
import type { Cell, CopyReader, RowsQuestion, TableShape } from '../../copy/ends.ts'
import { COPYING, MOVED } from '../../copy/marks.ts'
import { isComputed } from '../../copy/plan-tables.ts'
import { selectRows } from '../../copy/select-rows.ts'

/** Characters of rows that are in memory at a time, about. */
const BATCH_LETTERS = 1 << 20

/** Tables out of a file of SQLite, over one connection. */
export const readerOf = (connection: Sqlite.Database, place: string): CopyReader => ({
  place,
  shapes: async () => shapesOf(connection),
  rows: question => rowsOf(connection, question),
  async counters() {
    const found = connection
      .prepare<[], { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence')
      .all()
    return new Map(found.map(({ name, seq }) => [name, seq]))
  },
})

interface TableColumn {
  table: string
  column: string
  type: string
  place: number
  hasRowid: 0 | 1
}

/** Computed columns are hidden ones. */
const COLUMNS = `
  SELECT l.name AS "table", c.name AS "column", c.type, c.pk AS place, l.wr = 0 AS hasRowid
  FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name) AS c
  WHERE l.schema = 'main' AND l.type = 'table' AND c.hidden = 0 ORDER BY l.name, c.cid`

function shapesOf(connection: Sqlite.Database): TableShape[] {
  const columns = connection.prepare<[], TableColumn>(COLUMNS).all()
  return [...Map.groupBy(columns, ({ table }) => table)]
    .filter(([name]) => !isOwn(name) && !isComputed(name))
    .map(([name, of]) => {
      const keyed = of.filter(({ place }) => place > 0)
      // Such a column is the number of the row itself.
      const isNumber = keyed.length === 1 && keyed[0]!.type === 'INTEGER'
      const names = of.map(({ column }) => column)
      return {
        name,
        columns: of[0]!.hasRowid === 1 && !isNumber ? [...names, 'rowid'] : names,
        key: keyed.map(({ column }) => column),
      }
    })
}

const isOwn = (table: string): boolean =>
  /^(sqlite|kysely)_/.test(table) || table === MOVED || table === COPYING

async function* rowsOf(
  connection: Sqlite.Database,
  question: RowsQuestion,
): AsyncIterable<Cell[][]> {
  const kinds = kindsOf(connection, question.table)
  const sql = selectRows(question, (value, column) =>
    kinds.get(column) === 'INTEGER' ? `CAST(${value} AS TEXT)` : value,
  )
  const statement = connection.prepare<[], (Cell | number)[]>(sql).raw()
  let batch: Cell[][] = []
  let letters = 0
  for (const row of statement.iterate()) {
    // Only a fraction comes as a number.
    const cells = row.map(cell => (typeof cell === 'number' ? String(cell) : cell))
    batch.push(cells)
    for (const cell of cells) letters += cell?.length ?? 4
    if (letters < BATCH_LETTERS) continue
    yield batch
    batch = []
    letters = 0
  }
  if (batch.length > 0) yield batch
}

/** The declared types of columns; a number of the row is an INTEGER. */
export function kindsOf(connection: Sqlite.Database, table: string): Map<string, string> {
  const found = connection
    .prepare<[string], { name: string; type: string }>(
      'SELECT name, type FROM pragma_table_info(?)',
    )
    .all(table)
  return new Map([['rowid', 'INTEGER'], ...found.map(({ name, type }) => [name, type] as const)])
}
