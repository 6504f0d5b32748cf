import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { LookUps } from '../destination/look-ups.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

/** In one statement: databases have a limit of parameters. */
const IDS_AT_ONCE = 1_000

/** The table `missing_records`: ids that the API does not know, and when it was asked. */
export const createLookUps = (db: Kysely<Schema>, writer: Statements): LookUps => ({
  async unanswered(store, stream, ids) {
    const answered = new Set<string>()
    for (const some of chunksOf(ids)) {
      const found = await sql<{ id: string }>`
        SELECT id FROM ${sql.table(`rows_${stream}`)}
        WHERE store_id = ${store} AND id IN (${sql.join(some)})
        UNION ALL
        SELECT id FROM missing_records
        WHERE store_id = ${store} AND stream = ${stream} AND id IN (${sql.join(some)})`.execute(db)
      for (const { id } of found.rows) answered.add(id)
    }
    return [...new Set(ids)].filter(id => !answered.has(id)).toSorted()
  },
  async rememberMissing(store, stream, ids, askedAt) {
    const statements = chunksOf(ids).map(some =>
      db
        .insertInto('missing_records')
        .values(some.map(id => ({ store_id: store, stream, id, asked_at: askedAt })))
        .onConflict(conflict => conflict.doNothing())
        .compile(),
    )
    await writer.executeAll(statements)
  },
})

const chunksOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, at) =>
    ids.slice(at * IDS_AT_ONCE, (at + 1) * IDS_AT_ONCE),
  )
