import type { Config } from '../../config.ts'
import { openKeyShares, openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { openStore } from '../../connectors/store/open-store.ts'
import type { Store } from '../../connectors/store/open-store.ts'
import type { KnownShops } from '../../connectors/store/whose-shop.ts'
import { TillageError } from '../../errors.ts'

/** A store of tillage.yaml, for a command that needs nothing else of a database. */
export async function openConfiguredStore(
  config: Config,
  store: Config['stores'][number],
): Promise<Store> {
  const shares = await openKeyShares(config)
  const configured = config.stores.map(({ id }) => id)
  const opened = openStore(store, { shops: await readKnownShops(config), shares, configured })
  const client = {
    ...opened.client,
    async close() {
      await opened.client.close()
      shares.close()
    },
  }
  return { ...opened, client }
}

/** Whose shops the rows in the database are, as of now; nobody's where nothing was read yet. */
async function readKnownShops(config: Config): Promise<KnownShops> {
  const known = await readStores(config)
  return {
    find: id => Promise.resolve(known.find(store => store.id === id)),
    all: () => Promise.resolve(known),
  }
}

async function readStores(config: Config): ReturnType<KnownShops['all']> {
  try {
    await using database = await openReadOnly(config, streams)
    return await database.stores.all()
  } catch (error) {
    if (error instanceof TillageError && error.code === 'NOT_PROVEN') return []
    throw error
  }
}
