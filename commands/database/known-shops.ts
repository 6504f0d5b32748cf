import type { Config } from '../../config.ts'
import { openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { KnownShops } from '../../connectors/store/whose-shop.ts'
import { TillageError } from '../../errors.ts'

/** Whose shops the rows in the database are, as of now; nobody's where nothing was read yet. */
export async function readKnownShops(config: Config): Promise<KnownShops> {
  const known = await readStores(config)
  return {
    find: id => Promise.resolve(known.find(store => store.id === id)),
    all: () => Promise.resolve(known),
  }
}

async function readStores(config: Config): ReturnType<KnownShops['all']> {
  try {
    const database = await openReadOnly(config, streams)
    try {
      return await database.stores.all()
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof TillageError && error.code === 'NOT_PROVEN') return []
    throw error
  }
}
