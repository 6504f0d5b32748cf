import { sql } from 'kysely'
import type { CompiledQuery, Kysely } from 'kysely'
import { isSameShop } from '../destination/stores.ts'
import type { KnownStore, Stores } from '../destination/stores.ts'
import type { Schema } from './schema.ts'
import type { Statements } from './statements.ts'

const asStore = (row: Schema['stores']): KnownStore => ({
  id: row.store_id,
  companyId: row.company_id ?? undefined,
  shopId: row.shop_id ?? undefined,
  name: row.name ?? undefined,
  baseUrl: row.base_url ?? undefined,
  timeZone: row.time_zone,
  checkedAt: row.checked_at,
})

/** The table `stores`. */
export const createStores = (db: Kysely<Schema>, writer: Statements): Stores => ({
  async find(id) {
    const stores = db.selectFrom('stores').selectAll().where('store_id', '=', id)
    const row = await stores.executeTakeFirst()
    return row === undefined ? undefined : asStore(row)
  },
  all: async () => (await db.selectFrom('stores').selectAll().execute()).map(asStore),
  async keep(store) {
    if ((await writer.execute(keepUnlessTwin(db, store))) > 0) return undefined
    const others = await db.selectFrom('stores').selectAll().execute()
    return others.map(asStore).find(other => isSameShop(store, other))
  },
})

/** One statement, so that of two new ids of one shop only one gets in: `isSameShop` in SQL. */
function keepUnlessTwin(db: Kysely<Schema>, store: KnownStore): CompiledQuery {
  const { id, companyId = null, shopId = null, name = null, baseUrl = null } = store
  const { timeZone, checkedAt } = store
  return sql`
    INSERT INTO stores (store_id, company_id, shop_id, name, base_url, time_zone, checked_at)
    SELECT ${id}, ${companyId}, ${shopId}, ${name}, ${baseUrl}, ${timeZone}, ${checkedAt}
    WHERE EXISTS (SELECT 1 FROM stores WHERE store_id = ${id} AND shop_id = ${shopId})
      OR NOT EXISTS (
        SELECT 1 FROM stores
        WHERE store_id <> ${id}
          AND shop_id = ${shopId}
          AND (company_id = ${companyId}) IS NOT FALSE
          AND (base_url = ${baseUrl}) IS NOT FALSE
      )
    ON CONFLICT (store_id) DO UPDATE SET
      company_id = coalesce(excluded.company_id, stores.company_id),
      shop_id = coalesce(excluded.shop_id, stores.shop_id),
      name = coalesce(excluded.name, stores.name),
      base_url = excluded.base_url, time_zone = excluded.time_zone,
      checked_at = excluded.checked_at`.compile(db)
}
