import { addDays } from '../calendar/days.ts'
import { UsageError } from '../errors.ts'
import { runSync } from '../temporal/run-sync.ts'
import type { SyncReport } from '../temporal/run-sync.ts'
import { startWorker } from '../worker.ts'
import { checkDays, chooseStores, chooseStreams } from './choices.ts'
import type { DayRange } from './choices.ts'
import { declareCommand, days, option } from './command.ts'
import type { Context } from './command.ts'
import { describeSync, describeTroubles } from './describe-sync.ts'

export interface SyncOptions extends DayRange {
  store?: string
  again?: boolean
}

/** `tillage sync`: makes a range proven. Answers the exit status. */
export async function sync(
  { config, terminal, signal }: Context,
  options: SyncOptions,
  streamNames: readonly string[],
): Promise<number> {
  const days = checkDays(options)
  if (days.from !== undefined && days.from > addDays(new Date().toISOString().slice(0, 10), 1))
    throw new UsageError(`--from ${days.from} lies in the future: there is nothing to read yet`)
  if (days.to !== undefined && days.to > new Date().toISOString().slice(0, 10))
    terminal.log(`--to ${days.to} lies ahead: windows are proven until now, not further.`)
  const request = {
    stores: chooseStores(config, options.store),
    streams: chooseStreams(streamNames),
    ...days,
    again: options.again,
    tolerant: streamNames.length === 0,
  }
  const startedMs = Date.now()
  const worker = await startWorker(config, terminal.progress)
  try {
    const outcome = await runSync(worker, request, terminal.progress, signal)
    terminal.print(
      terminal.json
        ? JSON.stringify(outcome.report)
        : describeSync(outcome, Date.now() - startedMs),
    )
    for (const line of describeTroubles(outcome.report)) terminal.log(line)
    return syncExitStatus(outcome.report)
  } finally {
    await worker.close()
  }
}

/**
 * 0 all proven, 1 something failed, 3 finished with something unproven or dead-lettered, in this
 * run or before it.
 */
export function syncExitStatus({ stores }: SyncReport): number {
  if (stores.some(store => store.error !== undefined)) return 1
  const streams = stores.flatMap(store => store.streams)
  return streams.some(({ windows, deadLetters }) => windows.unproven > 0 || deadLetters > 0) ? 3 : 0
}

export const command = declareCommand({
  takes: '[streams...]',
  options: [...days(), option('--again', 'read windows again that are proven already')],
  notes: 'No streams: those of every day. No dates: since the watermark, with lookback.',
  run: sync,
})
