import { sql } from 'kysely'
import type { CompiledQuery, Kysely } from 'kysely'
import { isSameZone } from '../../calendar/same-zone.ts'
import { TillageError } from '../../errors.ts'
import type { DatabasePlace, ReadOnlyDatabase } from '../destination/read-only.ts'
import { isSameShop } from '../destination/stores.ts'
import type { HookAddresses, KnownStore, Stores } from '../destination/stores.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

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

/** In which zone the days of a store are cut: as it was read, else as it is configured. */
export function zonesOf(
  known: Stores,
  place: Pick<DatabasePlace, 'stores'>,
): Pick<ReadOnlyDatabase, 'timeZone' | 'zoneOfRows'> {
  const configuredZone = (store: string): string | undefined =>
    place.stores.find(({ id }) => id === store)?.timeZone
  return {
    async timeZone(store) {
      const configured = configuredZone(store)
      const read = (await known.find(store))?.timeZone
      const timeZone = read ?? configured
      if (timeZone === undefined) throw neverRead(store)
      if (configured !== undefined && !isSameZone(timeZone, configured, Date.now()))
        throw zoneDiffers(store, timeZone, configured)
      return timeZone
    },
    zoneOfRows: async store =>
      (await known.find(store))?.timeZone ?? configuredZone(store) ?? 'UTC',
  }
}

const zoneDiffers = (store: string, known: string, configured: string): TillageError =>
  new TillageError(
    'STORE_ZONE',
    `tillage.yaml says that ${store} is in ${configured}, ` +
      `and its data was read with ${known}: its days would begin at another hour`,
    {
      remedy:
        `If ${known} is right, correct timeZone: in tillage.yaml. ` +
        `If ${configured} is: tillage store zone ${store} ${configured} --dry-run ` +
        'shows the consequences, and --by NAME --reason TEXT instead applies it.',
    },
  )

const neverRead = (store: string): TillageError =>
  new TillageError('NOT_PROVEN', `nothing was read of ${store} yet`, {
    remedy: `Read something first: tillage sync --store ${store} --from DAY --to DAY`,
  })

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
