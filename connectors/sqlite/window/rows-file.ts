/**
 * A database that is filled without SQLite and read by it, attached to another one as `staged`: its
 * tables are `t0`, `t1` and so on, their columns `c0`, `c1` and so on.
 */
import type Database from 'better-sqlite3'
import { databaseFileOf, emptyDatabase } from '../pages/database-file.ts'
import type { DatabaseFile } from '../pages/database-file.ts'
import { openNameless, writeWhole } from './files-beside.ts'

export const STAGED_ROWS = 'staged'
export const stagedTable = (table: number): string => `${STAGED_ROWS}.t${table}`
export const stagedColumn = (column: number): string => `c${column}`

/** Small: each page is read once. */
const CACHED_PAGES = 4

/** Call outside of any transaction. */
export function openRowsFile(
  database: Database.Database,
  { tables, columns }: { tables: number; columns: number },
): DatabaseFile {
  const names = Array.from({ length: columns }, (_, column) => stagedColumn(column)).join(', ')
  const empty = emptyDatabase(
    Array.from({ length: tables }, (_, table) => `CREATE TABLE t${table} (${names})`),
  )
  const file = openNameless(database, (path, opened) => {
    writeWhole(opened, empty, 0)
    database.prepare(`ATTACH ? AS ${STAGED_ROWS}`).run(path)
    database.pragma(`${STAGED_ROWS}.cache_size = ${CACHED_PAGES}`)
  })
  return databaseFileOf(file, empty)
}
