import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What was given out of the books (`connectors/destination/given-out.ts`). Databases of earlier
 * versions have the first five: exports made them.
 */
export const GIVEN_OUT_TABLES = [
  `CREATE TABLE IF NOT EXISTS revisions (
    store_id TEXT NOT NULL, from_day TEXT NOT NULL, to_day TEXT NOT NULL, stream TEXT NOT NULL,
    revision INTEGER NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (store_id, from_day, to_day, stream, revision)
  ) STRICT`,
  `CREATE TABLE IF NOT EXISTS journal_entries (
    store_id TEXT NOT NULL, day TEXT NOT NULL, number TEXT NOT NULL, place INTEGER NOT NULL,
    revision INTEGER NOT NULL, entry TEXT NOT NULL, settings TEXT, posted_at TEXT NOT NULL,
    reissued TEXT,
    PRIMARY KEY (store_id, day, number)
  ) STRICT`,
  `CREATE TABLE IF NOT EXISTS journal_files (
    store_id TEXT NOT NULL, day TEXT NOT NULL, format TEXT NOT NULL, revision INTEGER NOT NULL,
    PRIMARY KEY (store_id, day, format, revision)
  ) STRICT`,
  `CREATE TABLE IF NOT EXISTS given_files (
    path TEXT PRIMARY KEY, store_id TEXT NOT NULL, from_day TEXT NOT NULL, to_day TEXT NOT NULL,
    dataset TEXT NOT NULL, format TEXT NOT NULL, revision INTEGER NOT NULL,
    addition INTEGER NOT NULL, rows INTEGER NOT NULL, sha256 TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE IF NOT EXISTS period_events (
    id INTEGER PRIMARY KEY, store_id TEXT NOT NULL, month TEXT NOT NULL, event TEXT NOT NULL,
    by_name TEXT NOT NULL, reason TEXT, at TEXT NOT NULL
  ) STRICT`,
  `ALTER TABLE journal_entries ADD COLUMN reason TEXT`,
  `CREATE TABLE accepted_differences (
    store_id TEXT NOT NULL, day TEXT NOT NULL, transaction_id TEXT NOT NULL, detail TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX accepted_differences_day ON accepted_differences (store_id, day)',
]

export const givenOutTables: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of GIVEN_OUT_TABLES) await sql.raw(statement).execute(db)
  },
}
