import type { Kysely } from 'kysely'
import type { Attempts } from '../destination/attempts.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

/** The tables `attempts` and `drift_looks`. */
export const createAttempts = (db: Kysely<Schema>, writer: Statements): Attempts => ({
  async keep({ store, at, outcome, code = null, detail = null }) {
    const failing_since = outcome === 'failed' ? at : null
    const row = { at, outcome, code, detail }
    const statement = db
      .insertInto('attempts')
      .values({ store_id: store, ...row, failing_since })
      .onConflict(conflict =>
        conflict.column('store_id').doUpdateSet(({ fn, ref, val }) => ({
          ...row,
          failing_since:
            failing_since === null ? null : fn.coalesce(ref('attempts.failing_since'), val(at)),
        })),
      )
    await writer.execute(statement.compile())
  },
  async last(store) {
    const row = await db
      .selectFrom('attempts')
      .selectAll()
      .where('store_id', '=', store)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const { at, outcome, code, detail, failing_since: failingSince } = row
    return {
      store,
      at,
      outcome,
      code: code ?? undefined,
      detail: detail ?? undefined,
      failingSince: failingSince ?? undefined,
    }
  },
  async keepDrift({ store, at, records, drifted }) {
    const row = { at, records, drifted }
    const statement = db
      .insertInto('drift_looks')
      .values({ store_id: store, ...row })
      .onConflict(conflict => conflict.column('store_id').doUpdateSet(row))
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
