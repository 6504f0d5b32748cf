import { createHash, hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { businessDayFinder } from '../../calendar/business-day.ts'
import type { StoreClock } from '../../calendar/business-day.ts'
import { localIso } from '../../calendar/clock.ts'
import type { Interval } from '../../calendar/interval.ts'
import { quoteName } from '../../connectors/quote.ts'
import type { Stream } from '../../connectors/stream.ts'
import type { Book } from './book-datasets.ts'
import { bookView, booksOf, extraColumns, rawName } from './book-datasets.ts'
import type { BookContext } from './columns.ts'
import { memberKeyOf } from './member-secret.ts'
import { salesIn } from './sales.ts'

/** What the books of a range need to know besides the rows. */
export interface BooksOrder {
  clock: StoreClock
  /** The business days of the order as instants, not cut off at what was read. */
  range: Interval
  /** What of it is proven; rows are taken from there alone (INV-1). */
  read: Interval
  /**
   * Edits of the range's transactions are known until this moment, ISO 8601: up to there everything
   * modified since its start is proven.
   */
  editsKnownUntil: string
  /**
   * The last day of the last closed period; what changes up to then is posted on the day of the
   * run.
   */
  periodClosedThrough?: string
  /** Turns member ids into member keys. Never written anywhere. */
  memberSecret: string
}

/**
 * An empty scratch file, to be attached before the snapshot is taken: SQLite attaches nothing
 * later.
 */
export function createScratch(path: string): void {
  writeFileSync(path, '')
}

/** Which books to write, from where, and to which scratch file. */
export interface BooksToWrite {
  scratchPath: string
  stream: Stream
  store: string
  days: { from: string; to: string }
  books: Pick<BooksOrder, 'clock' | 'range' | 'read' | 'memberSecret'>
}

/**
 * Reads the transactions of the range from the snapshot and writes the five books into the scratch
 * file, in the order of their keys; then shows them to the snapshot as views, with the stream's own
 * columns beside them. Answers the sha256 of all of it: the state of the books, whichever files are
 * made of them.
 */
export function writeBooks(
  snapshot: Database.Database,
  order: BooksToWrite,
  step: (rows: number) => void,
): string {
  const { scratchPath, stream, store, days } = order
  const books = booksOf(stream)
  const state = createHash('sha256')
  const scratch = new Database(scratchPath)
  try {
    // It is thrown away after the export, and never read before it is whole.
    scratch.pragma('journal_mode = OFF')
    scratch.pragma('synchronous = OFF')
    const tables = books.map(book => createTable(scratch, book))
    scratch.exec('BEGIN')
    const contextOf = contextFinder(store, days, order.books)
    let rows = 0
    for (const { sale, bookedMs, raw } of salesIn(snapshot, stream, store, order.books.read)) {
      const context = contextOf(sale.memberId, sale.completedMs, bookedMs, raw)
      for (const { book, insert } of tables) {
        for (const row of book.table.rowsOf(sale)) {
          const cells = book.table.columns.map(column => column.of(row, context))
          insert.run(cells)
          state.update(JSON.stringify(cells))
        }
      }
      if (++rows % 1024 === 0) step(rows)
    }
    scratch.exec('COMMIT')
  } finally {
    scratch.close()
  }
  for (const view of views(stream, books)) snapshot.exec(view)
  return state.digest('hex')
}

/** Of a cell of the books, in a scratch file and in the database. */
export const SQL_TYPE = {
  text: 'TEXT',
  date: 'TEXT',
  decimal: 'TEXT',
  json: 'TEXT',
  integer: 'INTEGER',
  timestamp: 'INTEGER',
  boolean: 'INTEGER',
} as const

function createTable(
  scratch: Database.Database,
  book: Book,
): { book: Book; insert: Database.Statement } {
  const { columns } = book.table
  scratch.exec(
    `CREATE TABLE ${quoteName(book.name)} (seq INTEGER PRIMARY KEY, ${columns.map(({ name, kind }) => `${quoteName(name)} ${SQL_TYPE[kind]}`).join(', ')}) STRICT`,
  )
  return {
    book,
    insert: scratch.prepare(
      `INSERT INTO ${quoteName(book.name)} (${columns.map(({ name }) => quoteName(name)).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ),
  }
}

function contextFinder(
  store: string,
  days: { from: string; to: string },
  { clock, memberSecret }: Pick<BooksOrder, 'clock' | 'memberSecret'>,
): (
  memberId: string | undefined,
  completedMs: number | undefined,
  bookedMs: number,
  raw: string,
) => BookContext {
  const dayOf = businessDayFinder(days, clock)
  return (memberId, completedMs, bookedMs, raw) => ({
    store,
    timeZone: clock.timeZone,
    businessDate: dayOf(bookedMs),
    completedLocal: completedMs === undefined ? null : localIso(completedMs, clock.timeZone),
    memberKey: memberId === undefined ? null : memberKeyOf(memberId, memberSecret),
    sourceHash: hash('sha256', raw),
  })
}

/** CROSS JOIN keeps the books outside, in their order, and the look-ups by key inside. */
function views(stream: Stream, books: readonly Book[]): string[] {
  const key = `${stream.singular}_id`
  const like = ({ like: own }: Book): string => {
    if (own === undefined) return ''
    const line = `s.${quoteName(key)} = b.${quoteName(key)} AND s.line_no = b.line_no`
    const same = own.key === 'id' ? 's.id = b.id' : line
    return `CROSS JOIN main.${quoteName(own.view)} s ON s.store_id = b.store_id AND ${same}`
  }
  const rest = Object.keys(stream.children).filter(name => !books.some(book => book.name === name))
  const view = (name: string, select: string): string =>
    `CREATE TEMP VIEW ${bookView(name)} AS SELECT ${select}`
  const own = ({ name }: Book): string => `FROM books.${quoteName(name)} b`
  const extra = (book: Book): string =>
    extraColumns(book)
      .map(({ name }) => `, s.${quoteName(name)}`)
      .join('')
  return [
    ...books.map(book => view(book.name, `b.* ${own(book)}`)),
    ...books
      .filter(book => book.like !== undefined)
      .map(book => view(rawName(book.name), `b.*${extra(book)} ${own(book)} ${like(book)}`)),
    ...rest.map(name =>
      view(
        name,
        `b.seq, s.* FROM books.${quoteName(stream.name)} b
         CROSS JOIN main.${quoteName(name)} s
           ON s.store_id = b.store_id AND s.${quoteName(key)} = b.id`,
      ),
    ),
  ]
}
