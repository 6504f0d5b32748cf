import { closing } from '../closing.ts'
import type { Closable, Closing } from '../closing.ts'
import type { Config } from '../config.ts'
import { openDestination } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { openStore } from '../connectors/store/open-store.ts'
import type { Stream } from '../connectors/stream.ts'
import type { ReferencePlace } from './look-up-references.ts'

/** Where a command asks for single records of one store, without a worker. */
export async function openReferencePlace(
  config: Config,
  store: string,
  signal: AbortSignal,
): Promise<Closing<ReferencePlace & Closable>> {
  const settings = config.stores.find(({ id }) => id === store)!
  const destination = await openDestination(config, streams)
  const configured = config.stores.map(({ id }) => id)
  const { stores: shops, keyShares: shares } = destination
  const { client, endpoint } = openStore(settings, { shops, shares, configured })
  return closing({
    destination,
    endpoint: (_: string, list: Stream) => endpoint(list),
    signal,
    async close() {
      await client.close()
      await destination.close()
    },
  })
}
