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
  *stage(stream, page) {
    for (const [name, columns] of tablesOf(stream))
      yield* run(`CREATE TEMP TABLE ${name} (${columns.join(', ')})`)
    const widths = new Map(tablesOf(stream).map(([name, { length }]) => [name, length]))
    new Staging(name => new BoundRows(connection, name, widths.get(name) ?? 0), stream).add(page)
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

class BoundRows implements TableOfRows {
  readonly #connection: Sqlite.Database
  readonly #name: string
  readonly #width: number
  #insert: Sqlite.Statement | undefined

  constructor(connection: Sqlite.Database, name: string, width: number) {
    this.#connection = connection
    this.#name = name
    this.#width = width
  }

  add(rowid: number, values: RowValues, text: Buffer): void {
    this.#insert ??= this.#prepare()
    this.#insert.run(
      rowid,
      Array.from({ length: this.#width }, (_, at) => valueAt(values, at, text)),
    )
  }

  finish(): void {}

  #prepare(): Sqlite.Statement {
    const names = Array.from({ length: this.#width }, (_, column) => stagedColumn(column))
    return this.#connection.prepare(
      `INSERT INTO temp.${this.#name} (${['rowid', ...names].join(', ')})
       VALUES (?${', ?'.repeat(this.#width)})`,
    )
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
