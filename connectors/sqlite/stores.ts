import type { Kysely } from 'kysely'
import type { KnownStore, Stores } from '../destination/stores.ts'
import type { Schema } from './schema.ts'
import type { Writer } from './writer.ts'

const asStore = (row: Schema['stores']): KnownStore => ({
  id: row.store_id,
  companyId: row.company_id ?? undefined,
  shopId: row.shop_id ?? undefined,
  name: row.name ?? undefined,
  timeZone: row.time_zone,
  checkedAt: row.checked_at,
})

/** The table `stores`. */
export const createStores = (db: Kysely<Schema>, writer: Writer): Stores => ({
  async find(id) {
    const stores = db.selectFrom('stores').selectAll().where('store_id', '=', id)
    const row = await stores.executeTakeFirst()
    return row === undefined ? undefined : asStore(row)
  },
  all: async () => (await db.selectFrom('stores').selectAll().execute()).map(asStore),
  async keep({ id, companyId, shopId, name, timeZone, checkedAt }) {
    const row = {
      company_id: companyId ?? null,
      shop_id: shopId ?? null,
      name: name ?? null,
      time_zone: timeZone,
      checked_at: checkedAt,
    }
    const statement = db
      .insertInto('stores')
      .values({ store_id: id, ...row })
      .onConflict(conflict => conflict.column('store_id').doUpdateSet(row))
    await writer.execute(statement.compile())
  },
})
