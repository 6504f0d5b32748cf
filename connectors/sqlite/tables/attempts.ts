import type { Kysely } from 'kysely'
import type { Attempts } from '../../destination/attempts.ts'
import type { Schema } from '../schema/schema.ts'
import type { Writer } from '../writer/writer.ts'

/** The tables `attempts` and `drift_looks`. */
export const createAttempts = (db: Kysely<Schema>, writer: Writer): Attempts => ({
  async keep({ store, at, outcome, code = null, detail = null }) {
    const statement = db
      .replaceInto('attempts')
      .values({ store_id: store, at, outcome, code, detail })
    await writer.execute(statement.compile())
  },
  async last(store) {
    const row = await db
      .selectFrom('attempts')
      .selectAll()
      .where('store_id', '=', store)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const { at, outcome, code, detail } = row
    return { store, at, outcome, code: code ?? undefined, detail: detail ?? undefined }
  },
  async keepDrift({ store, at, records, drifted }) {
    const statement = db
      .replaceInto('drift_looks')
      .values({ store_id: store, at, records, drifted })
    await writer.execute(statement.compile())
  },
  async lastDrift(store) {
    const row = await db
      .selectFrom('drift_looks')
      .select(['at', 'records', 'drifted'])
      .where('store_id', '=', store)
      .executeTakeFirst()
    return row === undefined ? undefined : { store, ...row }
  },
})
