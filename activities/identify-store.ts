import { parseStoreInfo, STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { Dependencies, Store } from './dependencies.ts'

export interface StoreIdentity {
  timeZone: string
}

/**
 * The first request of a run: proves that address and keys work before any window is planned,
 * learns the store's zone, and refuses a key that belongs to another store than the rows in the
 * database.
 */
export async function identifyStore(
  { destination, store: storeOf, now }: Dependencies,
  { store: id }: { store: string },
  signal: AbortSignal,
): Promise<StoreIdentity> {
  const store = storeOf(id)
  const told = await askStore(store, signal)
  const known = await destination.db
    .selectFrom('stores')
    .selectAll()
    .where('store_id', '=', id)
    .executeTakeFirst()
  refuseOtherStore(store.settings, told)
  for (const [field, before, today] of [
    ['company', known?.company_id, told.companyId],
    ['shop', known?.shop_id, told.shopId],
  ] as const) {
    if (before !== undefined && before !== null && today !== undefined && today !== before) {
      throw new TillageError(
        'STORE_UNKNOWN',
        `the developer key of ${id} now answers for another ${field} (${today}) than the rows in the database (${before})`,
        {
          remedy:
            'Put back the key of this store, or give the other store an id and a database of its own.',
        },
      )
    }
  }
  const timeZone = store.settings.timeZone ?? told.timeZone ?? known?.time_zone
  if (timeZone === undefined) {
    throw new TillageError('STORE_UNKNOWN', `the API does not say in which time zone ${id} is`, {
      remedy: 'Add timeZone: (like America/Los_Angeles) to this store in tillage.yaml.',
    })
  }
  const row = {
    company_id: told.companyId ?? null,
    shop_id: told.shopId ?? null,
    name: told.name ?? null,
    time_zone: timeZone,
    checked_at: new Date(now()).toISOString(),
  }
  await destination.execute(
    destination.db
      .insertInto('stores')
      .values({ store_id: id, ...row })
      .onConflict(conflict => conflict.column('store_id').doUpdateSet(row))
      .compile(),
  )
  return { timeZone }
}

/**
 * A key may be the right kind of key for the wrong shop; the configuration may say whose it must
 * be.
 */
export function refuseOtherStore(
  configured: { id: string; companyId?: string | undefined; shopId?: string | undefined },
  told: StoreInfo,
): void {
  for (const field of ['companyId', 'shopId'] as const) {
    if (configured[field] === undefined || configured[field] === told[field]) continue
    throw new TillageError(
      'STORE_UNKNOWN',
      `the developer key of ${configured.id} stands for ${field} ${told[field] ?? 'that the API does not name'}, and tillage.yaml says ${configured[field]}`,
      {
        remedy: `Put in the key of this store, or mend ${field} in tillage.yaml.`,
      },
    )
  }
}

async function askStore(store: Store, signal: AbortSignal): Promise<StoreInfo> {
  try {
    return parseStoreInfo(
      (await store.governor.run(() => store.client.get(STORE_PATH, {}, signal))).toString('utf8'),
    )
  } catch (error) {
    // A server without this endpoint may still have the lists; they will say for themselves.
    if (error instanceof PartnerError && error.code === 'PARTNER_REFUSED') return {}
    throw error
  }
}
