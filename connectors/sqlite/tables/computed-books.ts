import { closeSync, openSync } from 'node:fs'
import type { ShownBook } from '../../destination/shown-books.ts'
import { quoteName } from '../../quote.ts'
import { databaseFileOf, emptyDatabase, rootOf } from '../pages/database-file.ts'
import { RowValues, TablePages } from '../pages/table-pages.ts'
import { writeWhole } from '../window/files-beside.ts'

/** A table of a scratch file that is being filled. */
export interface ComputedBook {
  /** Of the row that comes next, in the order of the columns; all of them are set. */
  values: RowValues
  /** Texts are slices of `text`; each `seq` is larger than the one before. */
  add: (seq: number, text: Buffer) => void
}

export interface ComputedFile {
  /** In the order in which they were asked for. */
  books: readonly ComputedBook[]
  /** From then on the rows can be read, by whoever attaches the file. */
  finish: () => void
  close: () => void
}

/**
 * Fills a scratch file with books, without SQLite: to bind the values of a row one by one takes
 * longer than to write the page that they end up in (decision 82).
 */
export function openComputedFile(path: string, books: readonly ShownBook[]): ComputedFile {
  const empty = emptyDatabase(books.map(tableSql))
  const descriptor = openSync(path, 'w', 0o600)
  writeWhole(descriptor, empty, 0)
  const file = databaseFileOf(descriptor, empty)
  const tables = books.map((_, at) => new TablePages(file, rootOf(at)))
  return {
    books: books.map(({ columns }, at) => {
      const values = new RowValues(columns.length)
      return { values, add: (seq, text) => tables[at]!.add(seq, values, text) }
    }),
    finish() {
      for (const table of tables) table.finish()
      file.show()
    },
    close: () => closeSync(descriptor),
  }
}

/** `seq` comes last, since it is the number of the row, which stands in front of its values. */
function tableSql({ computed, columns }: ShownBook): string {
  const declared = columns.map(({ name, type }) => `${quoteName(name)} ${type}`)
  return `CREATE TABLE ${quoteName(computed)} (${declared.join(', ')}, seq INTEGER PRIMARY KEY) STRICT`
}
