import { cancellationSignal } from '@temporalio/activity'
import { z } from 'zod'
import { PartnerError, TillageError } from '../errors.ts'
import { NOT_API_REMEDY } from '../connectors/partner/client.ts'
import type { Dependencies, Store } from './dependencies.ts'

/** `GET /api/v1/partner/store` (StoreInfoResult). Fields of `shop` are not shown in the documentation; all may be absent. */
const text = z.string().nullish()
const shopInfo = z.object({ id: text, companyId: text, name: text, timeZone: text })
const storeInfo = z.object({ shop: shopInfo.nullish() }).and(shopInfo.partial())

export interface StoreIdentity {
  timeZone: string
}

/**
 * The first request of a run: proves that address and keys work before any window is planned, learns the store's zone,
 * and refuses a key that belongs to another store than the rows in the database.
 */
export async function identifyStore({ destination, store: storeOf, now }: Dependencies, { store: id }: { store: string }): Promise<StoreIdentity> {
  const store = storeOf(id)
  const told = await askStore(store)
  const known = await destination.db.selectFrom('stores').selectAll().where('store_id', '=', id).executeTakeFirst()
  for (const [field, before, today] of [['company', known?.company_id, told.companyId], ['shop', known?.shop_id, told.shopId]] as const) {
    if (before !== undefined && before !== null && today !== undefined && today !== before) {
      throw new TillageError('STORE_UNKNOWN', `the developer key of ${id} now answers for another ${field} (${today}) than the rows in the database (${before})`, {
        remedy: 'Put back the key of this store, or give the other store an id and a database of its own.',
      })
    }
  }
  const timeZone = store.settings.timeZone ?? told.timeZone ?? known?.time_zone
  if (timeZone === undefined) {
    throw new TillageError('STORE_UNKNOWN', `the API does not say in which time zone ${id} is`, { remedy: 'Add timeZone: (like America/Los_Angeles) to this store in tillage.yaml.' })
  }
  const row = { company_id: told.companyId ?? null, shop_id: told.shopId ?? null, name: told.name ?? null, time_zone: timeZone, checked_at: new Date(now()).toISOString() }
  await destination.execute(
    destination.db
      .insertInto('stores')
      .values({ store_id: id, ...row })
      .onConflict((conflict) => conflict.column('store_id').doUpdateSet(row))
      .compile(),
  )
  return { timeZone }
}

interface ToldIdentity {
  companyId?: string | undefined
  shopId?: string | undefined
  name?: string | undefined
  timeZone?: string | undefined
}

async function askStore(store: Store): Promise<ToldIdentity> {
  let body: string
  try {
    body = (await store.governor.run(() => store.client.get('/api/v1/partner/store', {}, cancellationSignal()))).toString('utf8')
  } catch (error) {
    // A server without this endpoint may still have the lists; they will say for themselves.
    if (error instanceof PartnerError && error.code === 'PARTNER_REFUSED') return {}
    throw error
  }
  const parsed = storeInfo.safeParse(parseJson(body))
  if (!parsed.success) throw new PartnerError('PARTNER_NOT_API', 'GET /api/v1/partner/store answered something other than the store', { remedy: NOT_API_REMEDY })
  const shop = parsed.data.shop ?? parsed.data
  const zone = shop.timeZone ?? undefined
  return { companyId: shop.companyId ?? undefined, shopId: shop.id ?? undefined, name: shop.name ?? undefined, timeZone: zone !== undefined && isZone(zone) ? zone : undefined }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    const what = /^\s*</.test(body) ? 'an HTML page' : 'no JSON'
    throw new PartnerError('PARTNER_NOT_API', `GET /api/v1/partner/store answered ${what} under status 200`, { cause, remedy: NOT_API_REMEDY })
  }
}

function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
