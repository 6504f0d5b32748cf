import { isTimeZone } from '../../calendar/is-time-zone.ts'
import { actNow, alone, changeZone } from '../../connectors/database.ts'
import type { ZoneChange } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../command.ts'
import { requireDatabase } from '../database/require-database.ts'
import { describeReadAgain } from './read-again.ts'

export interface ZoneOptions {
  by: string
  reason?: string
  dryRun?: boolean
}

/**
 * `tillage store zone ID ZONE`: what was proven by the days of another zone is to be read again.
 */
export async function storeZone(
  { config, terminal }: Context,
  { by, reason = '', dryRun = false }: ZoneOptions,
  store: string,
  zone: string,
): Promise<number> {
  if (reason.trim() === '' && !dryRun)
    throw new UsageError('--reason is missing', 'Say why; --dry-run only shows the consequences.')
  if (!isTimeZone(zone))
    throw new UsageError(
      `${JSON.stringify(zone)} is not a time zone`,
      'Write it like America/Los_Angeles.',
    )
  await requireDatabase(config)
  const order = { store, zone, dryRun }
  const change = await alone(config.database, dialect =>
    changeZone(dialect, order, streams, ({ was }) =>
      actNow('store zone', { store, was, zone, by, reason }),
    ),
  )
  terminal.print(
    terminal.json ? JSON.stringify({ ...change, dryRun }) : describe(change, dryRun).join('\n'),
  )
  return 0
}

function describe(
  { store, was, zone, windows, bookedDays }: ZoneChange,
  dryRun: boolean,
): string[] {
  const reading = describeReadAgain(store, windows, dryRun)
  return [
    dryRun ? `${store}: if ${was} becomes ${zone}` : `${store}: ${was} is ${zone} now`,
    ...(reading.length === 0 ? ['  nothing has to be read again'] : reading),
    `  business days are cut by the new zone: ${bookedDays} days have files or postings, and get`,
    '    revisions where sales move from one day to another. Files that were given out stay.',
  ]
}
