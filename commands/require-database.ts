import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { migrate } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { TillageError } from '../errors.ts'

/** For commands that work on a database as a whole: it is there, and its tables are up to date. */
export async function requireDatabase({ database }: Config): Promise<void> {
  if (!existsSync(database))
    throw new TillageError('NOT_PROVEN', `there is no database at ${database}`, {
      remedy: 'Look at database: in tillage.yaml; tillage sync makes it.',
    })
  await migrate(database, streams)
}
