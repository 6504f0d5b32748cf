import type { Kysely } from 'kysely'
import type { Checks } from '../destination/checks.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

/** The table `checks`. */
export const createChecks = (db: Kysely<Schema>, writer: Statements): Checks => ({
  async add(checks) {
    const rows = checks.map(check => ({
      store_id: check.store,
      stream: check.stream,
      checked_at: check.checkedAt,
      seed: check.seed,
      drawn_by: check.drawnBy,
      drawn: check.drawn,
      compared: check.compared,
      mismatched: check.mismatched,
      changed: check.changed,
      healed: check.healed,
      rate_bound: check.rateBound,
      bound_of: check.boundOf,
    }))
    if (rows.length > 0) await writer.execute(db.insertInto('checks').values(rows).compile())
  },
})
