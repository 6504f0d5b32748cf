/**
 * A database that is filled without SQLite and read by it: a file of empty tables, to which pages
 * of rows are added.
 */
import { ftruncateSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { writeWhole } from '../../staged/files-beside.ts'
import { TABLE_PAGE_BYTES } from './table-pages.ts'
import type { PageFile } from './table-pages.ts'

export interface DatabaseFile extends PageFile {
  /** Lets SQLite see what was written. */
  show(): void
  /** Takes all rows away. */
  empty(): void
}

/** Places of numbers in the header of a database (sqlite.org/fileformat2.html, 1.3). */
const [CHANGES, VALID_FOR] = [24, 92]

/**
 * SQLite locks bytes from here on, so it never reads or writes the page that holds them
 * (sqlite.org/fileformat2.html, 1.4).
 */
const LOCK_BYTES_AT = 2 ** 30
export const LOCK_PAGE = LOCK_BYTES_AT / TABLE_PAGE_BYTES + 1

/** Of a file that holds the empty database, and nothing else yet. */
export function databaseFileOf(file: number, empty: Buffer): DatabaseFile {
  const emptyPages = empty.length / TABLE_PAGE_BYTES
  let pages = emptyPages
  let changes = empty.readUInt32BE(CHANGES)
  const placeOf = (page: number): number => (page - 1) * TABLE_PAGE_BYTES
  // By the count of changes SQLite knows that its cache is old.
  const show = (): void => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(++changes)
    head.writeUInt32BE(pages, 4)
    writeWhole(file, head, CHANGES)
    writeWhole(file, head.subarray(0, 4), VALID_FOR)
  }
  return {
    append(page) {
      pages += pages + 1 === LOCK_PAGE ? 2 : 1
      writeWhole(file, page, placeOf(pages))
      return pages
    },
    replace: (number, page) => writeWhole(file, page, placeOf(number)),
    show,
    empty() {
      pages = emptyPages
      ftruncateSync(file, empty.length)
      writeWhole(file, empty.subarray(TABLE_PAGE_BYTES), TABLE_PAGE_BYTES)
      show()
    },
  }
}

/** The page that is the root of a table, by its place among those of `emptyDatabase`. */
export const rootOf = (table: number): number => table + 2

/** With these tables, which have rowids and no indexes. */
export function emptyDatabase(tables: readonly string[]): Buffer {
  const made = new Sqlite(':memory:')
  try {
    made.pragma(`page_size = ${TABLE_PAGE_BYTES}`)
    for (const table of tables) made.exec(table)
    return made.serialize()
  } finally {
    made.close()
  }
}
