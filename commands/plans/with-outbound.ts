import type { Config } from '../../config.ts'
import { migrate, openOutboundStore } from '../../connectors/database.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { TillageError } from '../../errors.ts'
import { givingLog } from '../../objects/give-folder.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The bookkeeping of plans, for the time of one action. */
export async function withOutbound<Answer>(
  { database, objects }: Pick<Config, 'database' | 'objects'>,
  action: (store: OutboundStore) => Promise<Answer>,
): Promise<Answer> {
  await migrate(database, streams)
  await using store = await openOutboundStore(database)
  return await action(givingLog(store, objects))
}

/** For whoever only reads: what was moved can be read, and it is said where everything is now. */
export async function readOutbound<Answer>(
  { database, objects }: Pick<Config, 'database' | 'objects'>,
  terminal: Terminal,
  action: (store: OutboundStore) => Promise<Answer>,
): Promise<Answer> {
  const moved = await migrate(database, streams).catch(movedOrFail)
  if (moved !== undefined) terminal.log(`${moved.message}; this is how it stood then`)
  await using store = await openOutboundStore(database, { readonly: moved !== undefined })
  return await action(givingLog(store, objects))
}

function movedOrFail(error: unknown): TillageError {
  if (error instanceof TillageError && error.code === 'DATABASE_MOVED') return error
  throw error
}
