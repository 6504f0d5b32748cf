import type Database from 'better-sqlite3'
import { sameContent } from '../../sql/rows/same-content.ts'

/** `same_content(ours, theirs)` in SQL. */
export const addContentFunction = (database: Database.Database): void =>
  void database.function(
    'same_content',
    { deterministic: true },
    (ours: unknown, theirs: unknown) => (sameContent(String(ours), String(theirs)) ? 1 : 0),
  )
