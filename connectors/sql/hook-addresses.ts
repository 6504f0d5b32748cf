import type { Kysely } from 'kysely'
import type { HookAddresses } from '../destination/hook-addresses.ts'
import type { Schema } from './schema.ts'
import type { Statements } from './statements.ts'

/** The table `hook_addresses`. */
export const createHookAddresses = (db: Kysely<Schema>, writer: Statements): HookAddresses => ({
  async all() {
    const rows = await db.selectFrom('hook_addresses').selectAll().orderBy('store_id').execute()
    return rows.map(({ store_id: store, secret }) => ({ store, secret }))
  },
  async keep({ store, secret }) {
    const statement = db
      .insertInto('hook_addresses')
      .values({ store_id: store, secret })
      .onConflict(conflict => conflict.column('store_id').doUpdateSet({ secret }))
    await writer.execute(statement.compile())
  },
  async forget(store) {
    await writer.execute(db.deleteFrom('hook_addresses').where('store_id', '=', store).compile())
  },
})
