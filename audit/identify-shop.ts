import { parseStoreInfo, STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { StoreApi } from './store-api.ts'
import type { SnapshotOrder } from './take-snapshot.ts'

export type ShopIdentity = Pick<SnapshotOrder, 'storeName' | 'storeLicense' | 'timeZone'> &
  Pick<StoreInfo, 'companyId' | 'shopId'>

/** What the shop says of itself; a zone of the configuration stands above its own. */
export async function identifyShop(
  api: StoreApi,
  configuredZone: string | undefined,
  signal: AbortSignal,
): Promise<ShopIdentity> {
  const answer = await askStore(api, signal)
  const timeZone = configuredZone ?? answer.timeZone
  if (timeZone === undefined)
    throw new TillageError(
      'STORE_UNKNOWN',
      `the API does not say in which time zone ${api.store} is`,
      { remedy: 'Add timeZone: (like America/Los_Angeles) to this store in tillage.yaml.' },
    )
  const { name: storeName, license: storeLicense, companyId, shopId } = answer
  return { storeName, storeLicense, timeZone, companyId, shopId }
}

async function askStore({ client, governor }: StoreApi, signal: AbortSignal): Promise<StoreInfo> {
  try {
    const body = await governor.run(() => client.get(STORE_PATH, {}, signal))
    return parseStoreInfo(body.toString('utf8'))
  } catch (error) {
    // A server without this endpoint may still have the lists; reading them will show that.
    if (error instanceof PartnerError && error.code === 'PARTNER_REFUSED') return {}
    throw error
  }
}
