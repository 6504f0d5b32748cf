import type { Kysely } from 'kysely'
import type { HookAddresses } from '../../destination/hook-addresses.ts'
import type { Schema } from '../schema/schema.ts'
import type { Writer } from '../writer/writer.ts'

/** The table `hook_addresses`. */
export const createHookAddresses = (db: Kysely<Schema>, writer: Writer): HookAddresses => ({
  async all() {
    const rows = await db.selectFrom('hook_addresses').selectAll().orderBy('store_id').execute()
    return rows.map(({ store_id: store, secret }) => ({ store, secret }))
  },
  async keep({ store, secret }) {
    const statement = db.replaceInto('hook_addresses').values({ store_id: store, secret })
    await writer.execute(statement.compile())
  },
  async forget(store) {
    await writer.execute(db.deleteFrom('hook_addresses').where('store_id', '=', store).compile())
  },
})
