import Database from 'better-sqlite3'
import { BASELINE } from '../../connectors/sqlite/schema/baseline.ts'
import { openPostingHistory } from '../../exports/posting-history.ts'
import type { PostingHistory } from '../../exports/posting-history.ts'

/** What a migrated database has to remember what was given out. */
export function addGivenOut(database: Database.Database): void {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'given_files'").get()
  if (known !== undefined) return
  for (const statement of BASELINE) database.exec(statement)
}

/** The history in a file that need not be there yet. */
export function historyAt(path: string): Promise<PostingHistory> {
  const database = new Database(path)
  addGivenOut(database)
  database.close()
  return openPostingHistory(path)
}
