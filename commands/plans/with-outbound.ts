import type { Config } from '../../config.ts'
import { migrate, openOutboundStore } from '../../connectors/database.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { givingLog } from '../../objects/give-folder.ts'

/** The bookkeeping of plans, for the time of one action. */
export async function withOutbound<Answer>(
  { database, objects }: Pick<Config, 'database' | 'objects'>,
  action: (store: OutboundStore) => Promise<Answer>,
): Promise<Answer> {
  await migrate(database, streams)
  await using store = await openOutboundStore(database)
  return await action(givingLog(store, objects))
}
