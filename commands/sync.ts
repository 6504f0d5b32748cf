import type { Config } from '../config.ts'
import { addDays } from '../connectors/window.ts'
import { UsageError } from '../errors.ts'
import { startWorker } from '../worker.ts'
import { checkDays, chooseStores, chooseStreams, type DayRange } from './choices.ts'
import { runSync, type SyncOutcome, type SyncReport } from './run-sync.ts'
import { formatTable, type Terminal } from './terminal.ts'

export interface SyncOptions extends DayRange {
  store?: string
  again?: boolean
}

/** `tillage sync`: makes a range proven. Answers the exit status. */
export async function sync(config: Config, streamNames: readonly string[], options: SyncOptions, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const days = checkDays(options)
  if (days.from !== undefined && days.from > addDays(new Date().toISOString().slice(0, 10), 1)) throw new UsageError(`--from ${days.from} lies in the future: there is nothing to read yet`)
  if (days.to !== undefined && days.to > new Date().toISOString().slice(0, 10)) terminal.log(`--to ${days.to} lies ahead: windows are proven until now, not further.`)
  const request = { stores: chooseStores(config, options.store), streams: chooseStreams(streamNames), ...days, again: options.again, tolerant: streamNames.length === 0 }
  const startedMs = Date.now()
  const worker = await startWorker(config, terminal.progress)
  try {
    const outcome = await runSync(worker, request, terminal.progress, signal)
    terminal.print(terminal.json ? JSON.stringify(outcome.report) : describeSync(outcome, Date.now() - startedMs))
    for (const line of describeTroubles(outcome.report)) terminal.log(line)
    return syncExitStatus(outcome.report)
  } finally {
    await worker.close()
  }
}

/** 0 all proven, 1 something failed, 3 finished with something unproven or dead-lettered. */
export function syncExitStatus({ stores }: SyncReport): number {
  if (stores.some((store) => store.error !== undefined)) return 1
  const streams = stores.flatMap((store) => store.streams)
  return streams.some(({ windows, records }) => windows.unproven > 0 || records.deadLettered > 0) ? 3 : 0
}

/** One line for each stream. `records` is what the database holds now; `new` and `changed` are what this run did. */
export function describeSync({ report, facts }: SyncOutcome, tookMs: number): string {
  const rows = report.stores.flatMap(({ store, streams }) =>
    streams.map(({ stream, windows, records, requests }) => {
      const fact = facts.find((one) => one.store === store && one.stream === stream)
      return [store, stream, fact?.held ?? 0, records.inserted, records.updated, records.deadLettered, `${windows.proven} of ${windows.proven + windows.unproven}`, requests, ((fact?.tookMs ?? 0) / 1000).toFixed(1)]
    }),
  )
  const proven = report.stores.flatMap((store) => store.streams).reduce((sum, { windows }) => sum + windows.proven, 0)
  const table = rows.length === 0 ? '' : `${formatTable(['store', 'stream', 'records', 'new', 'changed', 'rejected', 'windows proven', 'requests', 'seconds'], rows)}\n\n`
  return `${table}  ${proven} windows proven in ${(tookMs / 1000).toFixed(1)} s`
}

/** What a person should look at, in words. */
export function describeTroubles({ stores }: SyncReport): string[] {
  return stores.flatMap(({ store, streams, notOffered, error }) => [
    ...(notOffered === undefined ? [] : [`${store}: the API does not offer ${notOffered.join(', ')} to this partner key`]),
    ...streams.flatMap(({ stream, windows, records, findings }) => [
      ...(windows.unproven > 0 ? [`${store} ${stream}: ${windows.unproven} windows are not proven. Why: tillage coverage ${stream} --store ${store}`] : []),
      ...(records.deadLettered > 0 ? [`${store} ${stream}: ${records.deadLettered} records could not be loaded and are kept aside in the table dead_letters.`] : []),
      ...findings.map(({ code, detail }) => `${store} ${stream}: found ${code} (${detail})`),
    ]),
    ...(error === undefined ? [] : [`${store}: ${error.code}: ${error.message}${error.remedy === undefined ? '' : `\n${error.remedy}`}`]),
  ])
}
