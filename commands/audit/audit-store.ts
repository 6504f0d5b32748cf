import { findAudit } from '../../audit/folder.ts'
import type { AuditFolder } from '../../audit/folder.ts'
import { identifyShop } from '../../audit/identify-shop.ts'
import type { ShopIdentity } from '../../audit/identify-shop.ts'
import { openStoreApi } from '../../audit/store-api.ts'
import type { StoreApi } from '../../audit/store-api.ts'
import type { Config, StoreConfig } from '../../config.ts'
import { UsageError } from '../../errors.ts'
import { chooseStores, refuseOtherStores } from '../arguments/choices.ts'
import { openConfiguredStore } from '../database/open-configured-store.ts'

export interface AuditStore {
  api: StoreApi
  identity: ShopIdentity
  /** As it is configured. */
  store: StoreConfig
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
  const api = openStoreApi({ id: store.id, ...(await openConfiguredStore(config, store)) }, signal)
  try {
    return { api, store, identity: await identifyShop(api, store.timeZone, signal) }
  } catch (error) {
    await api.close()
    throw error
  }
}

/** What is kept of an audit; `--store` may only name the store that it is of. */
export function openAudit(
  { exports }: Pick<Config, 'exports'>,
  audit: string,
  store: string | undefined,
): AuditFolder {
  const folder = findAudit(exports, audit)
  if (folder === undefined)
    throw new UsageError(`there is no audit ${audit}`, 'tillage audit snapshot begins one.')
  refuseOtherStores(folder.audit, [folder.store], store)
  return folder
}
