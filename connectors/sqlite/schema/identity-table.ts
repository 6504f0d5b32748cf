import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** One row: which database this is (`connectors/destination/identity.ts`). */
export const identityTable: Migration = {
  async up(db) {
    await sql`CREATE TABLE database_identity (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      id TEXT NOT NULL
    ) STRICT`.execute(db)
    await sql`INSERT INTO database_identity VALUES (1, lower(hex(randomblob(8))))`.execute(db)
  },
}
