import type { Config } from '../../config.ts'
import { migrate, refuseUnread } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'

/** For commands that work on a database as a whole: it is there, and its tables are up to date. */
export async function requireDatabase({ database }: Config): Promise<void> {
  await refuseUnread(database)
  await migrate(database, streams)
}
