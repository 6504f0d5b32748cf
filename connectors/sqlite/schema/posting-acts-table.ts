import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Who said that a journal's file was imported, or took that back; rows are only added. */
const POSTING_ACTS = `CREATE TABLE posting_acts (
  id INTEGER PRIMARY KEY, store_id TEXT NOT NULL, day TEXT NOT NULL, revision INTEGER NOT NULL,
  event TEXT NOT NULL, ref TEXT, by_name TEXT NOT NULL, reason TEXT, at TEXT NOT NULL
) STRICT`

export const postingActsTable: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw(POSTING_ACTS).execute(db)
  },
}
