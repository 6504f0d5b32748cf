import { setTimeout as delay } from 'node:timers/promises'
import { addDays, utcDay } from '../calendar/days.ts'
import { FIRST_DAYS } from '../connectors/destination/lookback.ts'
import { UsageError } from '../errors.ts'
import { connectTemporal } from '../temporal/connect.ts'
import { temporalSettings } from '../temporal/settings.ts'
import { checkDays, chooseStores, chooseStreams } from './arguments/choices.ts'
import type { DayRange } from './arguments/choices.ts'
import { declareCommand, days, option, wholeNumber } from './command.ts'
import type { Context } from './command.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface SyncOptions extends DayRange {
  /** Minutes. */
  patience?: number
  store?: string
  again?: boolean
}

/** In which the server's process is found and started. */
const SERVER_BEGINS_MS = 20

/** Minutes; an attempt at a window lasts no longer. */
const MOST_PATIENCE = 20

/** `tillage sync`: makes a range proven. Answers the exit status. */
export async function sync(
  { config, terminal, signal }: Context,
  options: SyncOptions,
  streamNames: readonly string[],
): Promise<number> {
  const days = checkDays(options)
  if ((options.patience ?? 0) > MOST_PATIENCE)
    throw new UsageError(
      `--patience ${options.patience} is not possible`,
      `Choose 0 to ${MOST_PATIENCE} minutes; the same command goes on later with what is missing.`,
    )
  warnAboutFuture(days, terminal)
  const request = {
    stores: chooseStores(config, options.store),
    streams: chooseStreams(streamNames),
    ...days,
    again: options.again,
    tolerant: streamNames.length === 0,
  }
  // Temporal's server takes as long to start as the rest of the program to load.
  const temporal = connectTemporal(temporalSettings(config), terminal.progress)
  // Told by whoever awaits it. It is on its way first: loading keeps this thread busy.
  await Promise.race([temporal.catch(() => {}), delay(SERVER_BEGINS_MS)])
  const { syncStores } = await import('./sync/sync-stores.ts')
  return syncStores({ config, terminal, signal }, request, { patience: options.patience, temporal })
}

function warnAboutFuture({ from, to }: DayRange, terminal: Terminal): void {
  const today = utcDay(Date.now())
  if (from !== undefined && from > addDays(today, 1))
    throw new UsageError(`--from ${from} lies in the future: there is nothing to read yet`)
  if (to !== undefined && to > today)
    terminal.log(`--to ${to} lies ahead: windows are proven until now, not further.`)
}

export const command = declareCommand({
  takes: '[streams...]',
  options: [
    ...days(),
    option('--again', 'also read windows that are proven already'),
    option(
      '--patience <minutes>',
      'how long to wait for an API that does not answer, at most 20 (default: 15)',
    ).argParser(wholeNumber),
  ],
  notes:
    'Default: all daily streams, from the watermark with lookback ' +
    `(${FIRST_DAYS} days where nothing was read yet), until now.`,
  run: sync,
})
