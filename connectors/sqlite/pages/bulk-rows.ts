/**
 * SQLite's COPY: the records of a window as rows of a database of their own, attached beside the
 * other one as `staged`, from where a few statements for each page take them into the tables. To
 * bind values one by one takes longer than everything that SQLite does with them (decision 128).
 */
import type Database from 'better-sqlite3'
import { cellTables } from '../../cells.ts'
import { openNameless, writeWhole } from '../../staged/files-beside.ts'
import {
  SUPERSEDED_ROWS,
  Staging,
  UNFIT_ROWS,
  stagedColumn,
  stagedTable,
} from '../../staged/stage-records.ts'
import type { PageOfRecords, PageRows } from '../../staged/stage-records.ts'
import type { Stream } from '../../stream.ts'
import { withScratch } from '../connection/sql-connection.ts'
import { TablePages, databaseFileOf, emptyDatabase, rootOf } from './table-pages.ts'
import type { DatabaseFile } from './table-pages.ts'

export interface BulkRows {
  /**
   * Has the rows of these pages until `work` has ended. Call outside of any transaction: a
   * statement sees what was there when its transaction began.
   */
  during<Result>(
    stream: Stream,
    pages: Iterable<PageOfRecords>,
    work: (pages: readonly PageRows[]) => Result,
  ): Result
}

export function createBulkRows(database: Database.Database, streams: readonly Stream[]): BulkRows {
  let file: DatabaseFile | undefined
  return {
    during(stream, pages, work) {
      file ??= openBulkFile(database, streams)
      try {
        const staging = new Staging(tablesOf(file, stream), stream)
        const filled = Array.from(pages, page => staging.add(page))
        staging.finish()
        file.show()
        return withScratch(database, [BULK], () => work(filled))
      } finally {
        file.empty()
      }
    },
  }
}

const BULK = 'staged'

const LOOSE = [
  `CREATE TABLE ${SUPERSEDED_ROWS} (id, modified, raw)`,
  `CREATE TABLE ${UNFIT_ROWS} (record_key, reason, raw)`,
]
/** Small: each page is read once. */
const CACHED_PAGES = 4

/** Has room for each stream. */
function openBulkFile(database: Database.Database, streams: readonly Stream[]): DatabaseFile {
  const all = streams.map(cellTables)
  const widest = Math.max(...all.flat().map(({ columns }) => Object.keys(columns).length))
  const names = Array.from({ length: widest + 2 }, (_, column) => stagedColumn(column)).join(', ')
  const tables = Array.from(
    { length: Math.max(...all.map(of => of.length)) },
    (_, table) => `CREATE TABLE ${stagedTable(table)} (${names})`,
  )
  const empty = emptyDatabase([...LOOSE, ...tables])
  const file = openNameless(database.name, (path, opened) => {
    writeWhole(opened, empty, 0)
    database.prepare(`ATTACH ? AS ${BULK}`).run(path)
    database.pragma(`${BULK}.cache_size = ${CACHED_PAGES}`)
  })
  return databaseFileOf(file, empty)
}

/** Tables lie in the order in which they were made. */
function tablesOf(file: DatabaseFile, stream: Stream): (name: string) => TablePages {
  const names = [SUPERSEDED_ROWS, UNFIT_ROWS, ...cellTables(stream).map((_, at) => stagedTable(at))]
  return name => new TablePages(file, rootOf(names.indexOf(name)))
}
