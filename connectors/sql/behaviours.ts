import type { Kysely } from 'kysely'
import type { Behaviours } from '../destination/behaviours.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

/** The table `behaviours`. */
export const createBehaviours = (db: Kysely<Schema>, writer: Statements): Behaviours => ({
  async of(store) {
    const rows = await db
      .selectFrom('behaviours')
      .selectAll()
      .where('store_id', '=', store)
      .execute()
    return rows.map(({ stream, fact, value, evidence, seen_at }) => ({
      stream,
      name: fact,
      value,
      evidence,
      seenAt: seen_at,
    }))
  },
  keep(store, facts) {
    const statements = facts.map(({ stream, name, value, evidence, seenAt }) => {
      const row = { value, evidence, seen_at: seenAt }
      return db
        .insertInto('behaviours')
        .values({ store_id: store, stream, fact: name, ...row })
        .onConflict(conflict =>
          value === 'unknown'
            ? conflict.doNothing()
            : conflict.columns(['store_id', 'stream', 'fact']).doUpdateSet(row),
        )
        .compile()
    })
    return writer.executeAll(statements)
  },
})
