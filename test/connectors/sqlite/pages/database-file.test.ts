import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import {
  LOCK_PAGE,
  TABLE_PAGE_BYTES,
  TablePages,
  databaseFileOf,
  emptyDatabase,
  rootOf,
} from '../../../../connectors/sqlite/pages/table-pages.ts'
import { writeWhole } from '../../../../connectors/staged/files-beside.ts'
import { RowValues } from '../../../../connectors/staged/row-values.ts'

/** Of more than half a page, so that each row has one of its own. */
const TEXT = Buffer.from('x'.repeat(0.6 * TABLE_PAGE_BYTES))
const ROWS = 12

/** A sparse file: its first pages up to this one belong to nobody. */
function writeFrom(path: string, firstPage: number): unknown[] {
  const empty = emptyDatabase(['CREATE TABLE t (text)'])
  const before = Buffer.alloc((firstPage - 1) * TABLE_PAGE_BYTES)
  empty.copy(before)
  const descriptor = openSync(path, 'w')
  writeWhole(descriptor, empty, 0)
  const file = databaseFileOf(descriptor, before)
  const table = new TablePages(file, rootOf(0))
  const values = new RowValues(1)
  for (let rowid = 1; rowid <= ROWS; rowid++) {
    values.clear()
    values.text(0, TEXT.length)
    table.add(rowid, values, TEXT)
  }
  table.finish()
  file.show()
  closeSync(descriptor)
  const database = new Database(path, { readonly: true })
  try {
    return database.prepare('SELECT text FROM t').pluck().all()
  } finally {
    database.close()
  }
}

it.each([LOCK_PAGE - 5, LOCK_PAGE - 1, LOCK_PAGE, LOCK_PAGE + 1, 10])(
  'a file whose rows begin at page %i is read by SQLite, which never uses the page that holds its locks',
  firstPage => {
    const folder = mkdtempSync(join(tmpdir(), 'tillage-pages-'))
    try {
      const texts = writeFrom(join(folder, 'rows.db'), firstPage)
      expect(texts.length).toBe(ROWS)
      expect(texts.every(text => text === TEXT.toString())).toBe(true)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
