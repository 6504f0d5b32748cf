import type Database from 'better-sqlite3'
import type { PageToStage } from '../destination/windows.ts'

/** A page as it was staged. */
export interface StagedPage {
  body: Buffer
  listPath: string
  /** Rows in the list, by the reader's count. */
  rows: number
}

/**
 * Pages wait in a temporary table, which SQLite keeps in memory while they are few and on disk when
 * they are many, so memory stays flat; a crash leaves nothing of it behind.
 */
export interface StagedPages {
  stage(page: PageToStage): void
  discard(reading: string): void
  /** In the order in which they arrived. */
  numbers(reading: string): number[]
  page(reading: string, page: number): StagedPage
}

export function createStagedPages(database: Database.Database): StagedPages {
  database.exec(
    `CREATE TEMP TABLE staged (
      reading TEXT NOT NULL,
      page INTEGER NOT NULL,
      list_path TEXT NOT NULL,
      row_count INTEGER NOT NULL,
      body BLOB NOT NULL
    )`,
  )
  database.exec('CREATE UNIQUE INDEX temp.staged_key ON staged (reading, page)')
  const insert = database.prepare(
    `INSERT OR REPLACE INTO staged (reading, page, list_path, row_count, body)
     VALUES (?, ?, ?, ?, ?)`,
  )
  const remove = database.prepare('DELETE FROM staged WHERE reading = ?')
  const numbers = database
    .prepare<[string], number>('SELECT page FROM staged WHERE reading = ? ORDER BY page')
    .pluck()
  const select = database.prepare<[string, number], StagedPage>(
    `SELECT list_path AS listPath, row_count AS rows, body FROM staged
     WHERE reading = ? AND page = ?`,
  )
  return {
    stage: ({ reading, page, listPath, rows, body }) =>
      void insert.run(reading, page, listPath, rows, body),
    discard: reading => void remove.run(reading),
    numbers: reading => numbers.all(reading),
    page: (reading, page) => select.get(reading, page)!,
  }
}
