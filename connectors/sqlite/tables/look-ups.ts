import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { LookUps } from '../../destination/look-ups.ts'
import { rowTable } from '../connection/sql-text.ts'
import type { Schema } from '../schema/schema.ts'
import type { Writer } from '../writer/writer.ts'

/** The table `missing_records`: ids that the API does not know, and when it was asked. */
export const createLookUps = (db: Kysely<Schema>, writer: Writer): LookUps => ({
  async unanswered(store, stream, ids) {
    const found = await sql<{ id: string }>`
      SELECT value AS id FROM json_each(${JSON.stringify(ids)})
      WHERE NOT EXISTS
          (SELECT 1 FROM ${sql.table(rowTable(stream))} r
           WHERE r.store_id = ${store} AND r.id = value)
        AND NOT EXISTS
          (SELECT 1 FROM missing_records m
           WHERE m.store_id = ${store} AND m.stream = ${stream} AND m.id = value)
      ORDER BY value`.execute(db)
    return found.rows.map(({ id }) => id)
  },
  async rememberMissing(store, stream, ids, askedAt) {
    const statement = sql`
      INSERT OR IGNORE INTO missing_records (store_id, stream, id, asked_at)
      SELECT ${store}, ${stream}, value, ${askedAt} FROM json_each(${JSON.stringify(ids)})`
    await writer.execute(statement.compile(db))
  },
})
