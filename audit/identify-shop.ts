import { STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { namedShop, unknownZone } from '../connectors/store/open-store.ts'
import type { StoreApi } from './store-api.ts'
import type { SnapshotOrder } from './take-snapshot.ts'

export type ShopIdentity = Pick<SnapshotOrder, 'storeName' | 'storeLicense' | 'timeZone'> &
  Pick<StoreInfo, 'companyId' | 'shopId'>

/** What the shop says of itself; a zone of the configuration stands above its own. */
export async function identifyShop(
  { store, client, governor }: StoreApi,
  configuredZone: string | undefined,
  signal: AbortSignal,
): Promise<ShopIdentity> {
  const ask = () => governor.run(() => client.get(STORE_PATH, {}, signal))
  const { shop, refused } = await namedShop(ask)
  const timeZone = configuredZone ?? shop.timeZone
  if (timeZone === undefined) throw unknownZone(store, refused)
  const { name: storeName, license: storeLicense, companyId, shopId } = shop
  return { storeName, storeLicense, timeZone, companyId, shopId }
}
