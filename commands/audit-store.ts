import { openStoreApi } from '../audit/store-api.ts'
import type { StoreApi } from '../audit/store-api.ts'
import type { SnapshotOrder } from '../audit/take-snapshot.ts'
import type { Config } from '../config.ts'
import { parseStoreInfo, STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { PartnerError, TillageError, UsageError } from '../errors.ts'
import { chooseStores } from './choices.ts'

export interface AuditStore {
  api: StoreApi
  identity: Pick<SnapshotOrder, 'storeName' | 'storeLicense' | 'timeZone'>
}

/** The one store that a command is about, reachable and itself. */
export async function openAuditStore(
  config: Config,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<AuditStore> {
  const ids = chooseStores(config, wanted)
  if (ids.length > 1)
    throw new UsageError(
      'an audit is of one store, and several are configured',
      `Name it with --store. Stores are: ${ids.join(', ')}.`,
    )
  const store = config.stores.find(({ id }) => id === ids[0])!
  const api = openStoreApi(store, signal)
  try {
    const told = await askStore(api, signal)
    const timeZone = store.timeZone ?? told.timeZone
    if (timeZone === undefined)
      throw new TillageError(
        'STORE_UNKNOWN',
        `the API does not say in which time zone ${store.id} is`,
        { remedy: 'Add timeZone: (like America/Los_Angeles) to this store in tillage.yaml.' },
      )
    return { api, identity: { storeName: told.name, storeLicense: told.license, timeZone } }
  } catch (error) {
    await api.close()
    throw error
  }
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
