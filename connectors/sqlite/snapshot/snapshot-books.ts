import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import type { BookShape } from '../../destination/shown-books.ts'
import type { BooksShape, BooksToFill, SnapshotBooks } from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'
import { openComputedFile } from '../tables/computed-books.ts'
import { keepShownBooks } from '../tables/shown-books.ts'

const scratchOf = ({ folder }: BooksToFill): string => join(folder, 'books.db')

/** Empty as it is: what is written into it later, the snapshot sees. */
export function attachScratch(snapshot: Database.Database, books: BooksToFill): void {
  writeFileSync(scratchOf(books), '', { mode: 0o600 })
  snapshot.prepare('ATTACH ? AS scratch').run(scratchOf(books))
}

/** Books in a scratch file; `snapshot` has it attached. */
export function openBooks(
  snapshot: Database.Database,
  order: BooksToFill,
  store: string,
): SnapshotBooks & { close: () => void } {
  const { books } = order.shape
  const file = openComputedFile(scratchOf(order), books)
  return {
    async add(book, rows) {
      for (const cells of rows) file.add(book, cells)
    },
    async finish() {
      file.finish()
      for (const view of viewsOf(order.shape)) snapshot.exec(view)
    },
    show: async computed =>
      keepShownBooks(snapshot.name, { ...computed, books, store }, scratchOf(order)),
    close: file.close,
  }
}

/** CROSS JOIN keeps the books outside, in their order, and the look-ups by key inside. */
function viewsOf({ stream, key, books, children }: BooksShape): string[] {
  const view = (relation: string, select: string): string =>
    `CREATE TEMP VIEW ${quoteName(relation)} AS ${select}`
  const rowsOf = (table: string): string => `FROM scratch.${quoteName(table)} b`
  return [
    ...books.map(({ relation, computed }) => view(relation, `SELECT b.* ${rowsOf(computed)}`)),
    ...books.flatMap(book => (book.beside === undefined ? [] : [besideView(book, key, view)])),
    ...children.map(({ list, relation }) =>
      view(
        relation,
        `SELECT b.seq, s.* ${rowsOf(stream)}
         CROSS JOIN main.${quoteName(list)} s
           ON s.store_id = b.store_id AND s.${quoteName(key)} = b.id`,
      ),
    ),
  ]
}

function besideView(
  { computed, beside }: BookShape,
  key: string,
  view: (relation: string, select: string) => string,
): string {
  const { relation, list, by, columns } = beside!
  const line = `s.${quoteName(key)} = b.${quoteName(key)} AND s.line_no = b.line_no`
  const own = columns.map(name => `, s.${quoteName(name)}`).join('')
  return view(
    relation,
    `SELECT b.*${own} FROM scratch.${quoteName(computed)} b
     CROSS JOIN main.${quoteName(list)} s
       ON s.store_id = b.store_id AND ${by === 'id' ? 's.id = b.id' : line}`,
  )
}
