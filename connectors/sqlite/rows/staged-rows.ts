import type Sqlite from 'better-sqlite3'
import { cellTables } from '../../cells.ts'
import type { RecordStaging } from '../../sql/rows/kept-records.ts'
import { run } from '../../sql/steps.ts'
import { FALSE, INT_32, NULL, TEXT, TRUE } from '../../staged/row-values.ts'
import type { RowValues } from '../../staged/row-values.ts'
import { Staging, stagedColumn, stagedTable } from '../../staged/stage-records.ts'
import type { TableOfRows } from '../../staged/stage-records.ts'
import type { Stream } from '../../stream.ts'

/**
 * Stages records that are kept in temporary tables, value by value. The pages of a window, which
 * are many more, come by the file of `pages/`: what a transaction sees of that is what was there
 * when it began, and here records are staged in the midst of one. SQLite writes what does not fit
 * its cache to a file that has no name.
 */
export const recordStaging = (connection: Sqlite.Database): RecordStaging => ({
  rowsAtOnce: 100,
  asHeld: key => key,
  *stage(stream, page) {
    const tables = new Map<string, TableOfRows>()
    for (const [name, columns] of tablesOf(stream)) {
      yield* run(`CREATE TEMP TABLE ${name} (${columns.join(', ')})`)
      tables.set(name, boundRows(connection, name, columns))
    }
    new Staging(name => tables.get(name)!, stream).add(page)
  },
  *drop(stream) {
    for (const [name] of tablesOf(stream)) yield* run(`DROP TABLE temp.${name}`)
  },
})

/** No page has superseded or unfit records here, and their JSON stands in the rows. */
const tablesOf = (stream: Stream): (readonly [name: string, columns: readonly string[]])[] =>
  cellTables(stream).map(({ columns }, table) => [
    stagedTable(table),
    Array.from({ length: Object.keys(columns).length + (table === 0 ? 0 : 2) }, (_, column) =>
      stagedColumn(column),
    ),
  ])

function boundRows(
  connection: Sqlite.Database,
  name: string,
  columns: readonly string[],
): TableOfRows {
  const insert = connection.prepare(
    `INSERT INTO temp.${name} (${['rowid', ...columns].join(', ')})
     VALUES (?${', ?'.repeat(columns.length)})`,
  )
  return {
    add(rowid, values, text) {
      insert.run(
        rowid,
        columns.map((_, at) => valueAt(values, at, text)),
      )
    },
    finish() {},
  }
}

function valueAt(values: RowValues, at: number, text: Buffer): string | number | null {
  const type = values.types[at]!
  const place = values.places[at]!
  if (type >= TEXT) {
    const bytes = (type - TEXT) / 2
    return place < 0
      ? values.own.toString('utf8', ~place, ~place + bytes)
      : text.toString('utf8', place, place + bytes)
  }
  if (type === NULL) return null
  if (type === FALSE || type === TRUE) return type === TRUE ? 1 : 0
  return type === INT_32 ? place : values.numbers[at]!
}
