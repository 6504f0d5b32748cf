import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { STANDARD_INPUT } from '../../config/source.ts'
import {
  isDatabase,
  isThere,
  keepsAuditLog,
  readEvidenceLog,
  refuseOlder,
} from '../../connectors/database.ts'
import type { EvidenceLog } from '../../connectors/destination/written-evidence.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { isServerAddress } from '../../connectors/server-address.ts'
import { ConfigError, UsageError } from '../../errors.ts'
import type { Context } from '../command.ts'

export interface LogOptions {
  /** Of `tillage.yaml`, as every command knows it. */
  config: string
  database?: string
  folderOnly?: boolean
}

export interface LogAtHand {
  /** Absolute. */
  database: string
  log: EvidenceLog
}

/**
 * The audit log that files are compared with: of the database that is named, or that tillage.yaml
 * names. Undefined: there is neither, or nobody wants it.
 */
export async function logAtHand(
  context: Pick<Context, 'config'>,
  options: LogOptions,
): Promise<LogAtHand | undefined> {
  if (options.folderOnly === true) return undefined
  const database = await databaseOf(context, options)
  if (database === undefined) return undefined
  return { database, log: await readEvidenceLog(database) }
}

async function databaseOf(
  context: Pick<Context, 'config'>,
  { config, database }: LogOptions,
): Promise<string | undefined> {
  if (database !== undefined) {
    if ((await isDatabase(database)) && (await keepsAuditLog(database)))
      return isServerAddress(database) ? database : resolve(database)
    throw new UsageError(
      `${database} is not a database of Tillage, or has no audit log`,
      'Name another, or --folder-only.',
    )
  }
  if (!isThereConfig(config)) return undefined
  const configured = configuredDatabase(context)
  if (!(await isThere(configured))) return undefined
  // The upgrade gives what an earlier version wrote its entries in the log.
  await refuseOlder(configured, streams)
  return configured
}

/** Whoever only verifies may have no settings. */
export const isThereConfig = (config: string): boolean =>
  config === STANDARD_INPUT || existsSync(config)

/** The keys of the stores may be missing where somebody only verifies. */
function configuredDatabase(context: Pick<Context, 'config'>): string {
  try {
    return context.config.database
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new UsageError(
      `which database to compare with is not known: ${error.message}`,
      'Name it with --database FILE, or look at the folder alone with --folder-only.',
    )
  }
}
