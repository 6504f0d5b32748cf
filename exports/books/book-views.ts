import type Database from 'better-sqlite3'
import { quoteName } from '../../connectors/quote.ts'
import type { Stream } from '../../connectors/stream.ts'
import type { Book } from './book-datasets.ts'
import { bookView, booksOf, extraColumns, rawName } from './book-datasets.ts'

/**
 * Shows the books of scratch files, attached under these names, to a snapshot: as temporary views,
 * those that have them also with the stream's own columns beside them.
 */
export function showBooks(
  snapshot: Database.Database,
  stream: Stream,
  scratches: readonly string[],
): void {
  for (const view of views(stream, scratches)) snapshot.exec(view)
}

/** CROSS JOIN keeps the books outside, in their order, and the look-ups by key inside. */
function views(stream: Stream, scratches: readonly string[]): string[] {
  const books = booksOf(stream)
  const key = `${stream.singular}_id`
  const like = ({ like: own }: Book): string => {
    if (own === undefined) return ''
    const line = `s.${quoteName(key)} = b.${quoteName(key)} AND s.line_no = b.line_no`
    const same = own.key === 'id' ? 's.id = b.id' : line
    return `CROSS JOIN main.${quoteName(own.view)} s ON s.store_id = b.store_id AND ${same}`
  }
  const rest = Object.keys(stream.children).filter(name => !books.some(book => book.name === name))
  const view = (name: string, selectFrom: (table: string) => string): string =>
    `CREATE TEMP VIEW ${bookView(name)} AS ${scratches.map(selectFrom).join(' UNION ALL ')}`
  const extra = (book: Book): string =>
    extraColumns(book)
      .map(({ name }) => `, s.${quoteName(name)}`)
      .join('')
  return [
    ...books.map(({ name }) =>
      view(name, scratch => `SELECT b.* FROM ${scratch}.${quoteName(name)} b`),
    ),
    ...books
      .filter(book => book.like !== undefined)
      .map(book =>
        view(
          rawName(book.name),
          scratch =>
            `SELECT b.*${extra(book)} FROM ${scratch}.${quoteName(book.name)} b ${like(book)}`,
        ),
      ),
    ...rest.map(name =>
      view(
        name,
        scratch =>
          `SELECT b.seq, s.* FROM ${scratch}.${quoteName(stream.name)} b
           CROSS JOIN main.${quoteName(name)} s
             ON s.store_id = b.store_id AND s.${quoteName(key)} = b.id`,
      ),
    ),
  ]
}
