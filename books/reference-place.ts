import type { Config } from '../config.ts'
import { openDestination } from '../connectors/database.ts'
import { createPartnerClient } from '../connectors/partner/client.ts'
import { createGovernor } from '../connectors/partner/governor.ts'
import { createPageReader } from '../connectors/partner/read-page.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { ReferencePlace } from './look-up-references.ts'

/** Where a command asks for single records of one store, without a worker. Close it after use. */
export async function openReferencePlace(
  config: Config,
  store: string,
  signal: AbortSignal,
): Promise<ReferencePlace & { close: () => Promise<void> }> {
  const settings = config.stores.find(({ id }) => id === store)!
  const destination = await openDestination(config.database, streams)
  const client = createPartnerClient(settings)
  const governor = createGovernor(settings.limits)
  return {
    destination,
    endpoint: (_, stream) => ({ stream, client, governor, readPage: createPageReader(stream) }),
    signal,
    async close() {
      await client.close()
      await destination.close()
    },
  }
}
