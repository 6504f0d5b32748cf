/**
 * A database that is filled without SQLite and read by it, attached to another one as `staged`: its
 * tables are `t0`, `t1` and so on, their columns `c0`, `c1` and so on.
 */
import { ftruncateSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type Database from 'better-sqlite3'
import { openNameless, writeWhole } from './files-beside.ts'
import { TABLE_PAGE_BYTES } from './table-pages.ts'
import type { PageFile } from './table-pages.ts'

export const stagedTable = (table: number): string => `staged.t${table}`
export const stagedColumn = (column: number): string => `c${column}`

export interface RowsFile extends PageFile {
  /** The page that is the root of a table. */
  rootOf(table: number): number
  /** Lets SQLite see what was written. */
  show(): void
  /** Takes all rows away. */
  empty(): void
}

/** Places of numbers in the header of a database (sqlite.org/fileformat2.html, 1.3). */
const [CHANGES, VALID_FOR] = [24, 92]

/** Small: each page is read once. */
const CACHED_PAGES = 4

/** Call outside of any transaction. */
export function openRowsFile(
  database: Database.Database,
  shape: { tables: number; columns: number },
): RowsFile {
  const empty = emptyDatabase(shape)
  const file = openNameless(database, (path, opened) => {
    writeWhole(opened, empty, 0)
    database.prepare('ATTACH ? AS staged').run(path)
    database.pragma(`staged.cache_size = ${CACHED_PAGES}`)
  })
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
    rootOf: table => table + 2,
    append(page) {
      writeWhole(file, page, placeOf(++pages))
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

function emptyDatabase({ tables, columns }: { tables: number; columns: number }): Buffer {
  const made = new Sqlite(':memory:')
  try {
    made.pragma(`page_size = ${TABLE_PAGE_BYTES}`)
    const names = Array.from({ length: columns }, (_, column) => stagedColumn(column)).join(', ')
    for (let table = 0; table < tables; table++) made.exec(`CREATE TABLE t${table} (${names})`)
    return made.serialize()
  } finally {
    made.close()
  }
}
