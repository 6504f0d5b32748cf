import type { Dependencies } from '../../activities/dependencies.ts'
import { startWithoutFrom } from '../../activities/plan-windows.ts'
import { lookUpReferences, unknownReferences } from '../../books/look-up-references.ts'
import type { LookedUpStream, ReferencePlace } from '../../books/look-up-references.ts'
import { bookedStream } from '../../books/order-journal.ts'
import { refreshViews } from '../../books/refresh-views.ts'
import { storeClockOf } from '../../books/store-clock.ts'
import { unpostedDays } from '../../books/unposted-days.ts'
import { businessDayStart, businessDays } from '../../calendar/business-day.ts'
import { MINUTE_MS, addDays, utcDay } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import { openReadOnly } from '../../connectors/database.ts'
import { FIRST_DAYS, lookbackOf } from '../../connectors/destination/lookback.ts'
import { findStream, streams } from '../../connectors/partner/streams/index.ts'
import { TillageError, UsageError } from '../../errors.ts'
import { NOT_OFFERED } from '../../reading/check-offered.ts'
import { describeUnpostedDays } from '../../standing/describe-unposted.ts'
import { runSync } from '../../temporal/run-sync.ts'
import type { SyncReport, SyncRequest } from '../../temporal/run-sync.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { startWorker } from '../../worker.ts'
import type { StartOptions } from '../../worker.ts'
import type { Context } from '../command.ts'
import { describeSync, describeTroubles } from './describe-sync.ts'
import type { IsKnown } from './describe-sync.ts'

export interface SyncStoresOptions extends Pick<StartOptions, 'temporal'> {
  /** Minutes; none: as long as usual. */
  patience?: number | undefined
}

/**
 * Starts a worker, reads what was asked for and reports it; then brings the books for SQL up to
 * date. Answers the exit status.
 */
export async function syncStores(
  context: Context,
  request: SyncRequest,
  options: SyncStoresOptions,
): Promise<number> {
  const status = await syncAndReport(context, request, options)
  await refreshBooks(context, request).catch((error: unknown) => sayBehind(context, error))
  return status
}

/** What was read is kept and reported: only the views are behind where the database is away. */
function sayBehind({ terminal }: Context, error: unknown): void {
  if (!(error instanceof TillageError) || error.recovery !== 'retry') throw error
  terminal.log(
    `${error.code}: ${error.message}\nWhat was read is kept. The views books_* of the database ` +
      'may be behind; bring them up to date with tillage books refresh',
  )
}

/** Exit status 1 if something failed, 3 if something is not proven. */
async function syncAndReport(
  { config, terminal, signal }: Context,
  request: SyncRequest,
  { patience, ...started }: SyncStoresOptions,
): Promise<number> {
  await using worker = await startWorker(config, terminal.progress, {
    ...started,
    duties: ['read'],
  })
  // What it takes to get Temporal's server ready, minutes the first time, says nothing of reading.
  const startedMs = Date.now()
  if (patience !== undefined) worker.dependencies.patienceMs = patience * MINUTE_MS
  await rejectEmptyRange(worker.dependencies, config, request)
  for (const line of await describeFirstRead(worker.dependencies, request)) terminal.log(line)
  const isKnown = await knownFindings(worker.dependencies, request.stores)
  const outcome = await runSync(worker, request, terminal.progress, signal)
  for (const { store, streams: reported } of outcome.report.stores) {
    const lookedUp = await lookUpFor({ config, terminal, signal }, worker, request, store)
    addLookUps(reported, lookedUp)
    for (const { stream, counts } of lookedUp) {
      const fact = outcome.facts.find(one => one.store === store && one.stream === stream)
      if (fact !== undefined) fact.stored += counts?.inserted ?? 0
    }
  }
  terminal.print(
    terminal.json ? JSON.stringify(outcome.report) : describeSync(outcome, Date.now() - startedMs),
  )
  for (const line of describeTroubles(outcome.report, isKnown)) terminal.log(line)
  return syncExitStatus(outcome.report)
}

/** Of runs before this one. */
async function knownFindings(
  { destination }: RunningWorker['dependencies'],
  stores: readonly string[],
): Promise<IsKnown> {
  const found = await Promise.all(stores.map(store => destination.findings.of(store)))
  const keyOf: (finding: Parameters<IsKnown>[0]) => string = ({ store, stream, code }) =>
    [store, stream, code].join('/')
  const known = new Set(found.flat().map(keyOf))
  return finding => known.has(keyOf(finding))
}

/** What the transactions of the asked days refer to, of the streams that were read. */
async function lookUpFor(
  { config, signal }: Context,
  { dependencies }: RunningWorker,
  { from, to, streams: read }: SyncRequest,
  store: string,
): Promise<LookedUpStream[]> {
  const { destination } = dependencies
  const booked = bookedStream()
  const known = await destination.stores.find(store)
  if (known === undefined || !read.includes(booked.name)) return []
  const today = utcDay(dependencies.now())
  const days = { from: from ?? addDays(today, -booked.lookbackDays), to: to ?? addDays(today, 1) }
  const range = businessDays(days, storeClockOf(config, store, known.timeZone))
  const most = REFRESHED_AT_ONCE + 1
  if ((await destination.bookedDays.countUpTo(most, store, booked, range)) === most) return []
  const endpoint: ReferencePlace['endpoint'] = (id, stream) =>
    dependencies.store(id).endpoint(stream)
  const unknown = await unknownReferences(destination, store, range, name => read.includes(name))
  return lookUpReferences({ destination, endpoint, signal }, store, unknown)
}

/** Counted like anything else that was asked for. */
function addLookUps(
  reported: SyncReport['stores'][number]['streams'],
  lookedUp: readonly LookedUpStream[],
): void {
  for (const { stream, requests, counts } of lookedUp) {
    const one = reported.find(report => report.stream === stream)
    if (one === undefined) continue
    one.requests += requests
    for (const [name, count] of Object.entries(counts ?? {}))
      one.records[name as keyof typeof one.records] += count
  }
}

/** The views of the books, where transactions were read and no more than takes seconds. */
async function refreshBooks(
  { config, terminal, signal }: Context,
  { stores, streams: read }: SyncRequest,
): Promise<void> {
  if (signal.aborted || !read.includes(bookedStream().name)) return
  await using database = await openReadOnly(config, streams)
  const watcher = { progress: terminal.progress, signal }
  for (const store of await database.stores.all()) {
    if (!stores.includes(store.id)) continue
    const place = { config, database }
    const { isBehind } = await refreshViews(place, store.id, REFRESHED_AT_ONCE, watcher)
    if (isBehind)
      terminal.log(
        `${store.id}: the views books_* of the database are behind; ` +
          'bring them up to date with tillage books refresh',
      )
    const { days } = await unpostedDays(place, store.id, { limit: DAYS_COMPUTED })
    for (const line of describeUnpostedDays(days)) terminal.log(`${store.id}: ${line}`)
  }
}

/** Of a store: what changed of its booked days is told at once, and all of it by `status`. */
const DAYS_COMPUTED = 31

/** Transactions: a few seconds. */
const REFRESHED_AT_ONCE = 20_000

/**
 * 0 all proven, 1 something failed, 3 finished with something unproven or dead-lettered, in this
 * run or before it.
 */
export function syncExitStatus({ stores }: SyncReport): number {
  if (stores.some(store => store.error !== undefined)) return 1
  const streams = stores.flatMap(store => store.streams)
  return streams.some(({ windows, deadLetters }) => windows.unproven > 0 || deadLetters > 0) ? 3 : 0
}

/** Where nothing was read yet, and no day was asked for: what is going to be read. */
async function describeFirstRead(
  { destination, now }: Dependencies,
  { stores, streams, from, to }: SyncRequest,
): Promise<string[]> {
  if (from !== undefined) return []
  const dated = streams.filter(name => findStream(name)?.windowing !== 'full-refresh')
  const until = to ?? utcDay(now())
  const firstDay = addDays(until, -FIRST_DAYS)
  const whole = dated.length < streams.length ? ', and every list without dates as a whole' : ''
  const days =
    to === undefined
      ? `the last ${FIRST_DAYS} days, since ${firstDay}`
      : `the ${FIRST_DAYS} days before ${to}, since ${firstDay}`
  const lines = stores.map(async store => {
    const read = await Promise.all(dated.map(name => destination.ledger.windows(store, name)))
    return dated.length > 0 && read.every(rows => rows.length === 0)
      ? [
          `${store}: nothing was read yet, so this reads ${days}${whole}. More: ` +
            `tillage sync --store ${store} --from ${addDays(firstDay, -365)} --to ${firstDay}`,
        ]
      : []
  })
  return (await Promise.all(lines)).flat()
}

/**
 * A sync without `--from` goes on from where each list stands. Throws a UsageError where `--to`
 * lies before that for all of them: nothing would be read, and it would look as if it had been.
 */
async function rejectEmptyRange(
  dependencies: Dependencies,
  config: Config,
  { stores, streams, from, to }: SyncRequest,
): Promise<void> {
  if (from !== undefined || to === undefined) return
  const asked = stores.flatMap(store =>
    streams.map(name => startOf(dependencies, config, { store, name, to })),
  )
  const starts = (await Promise.all(asked)).filter(start => start !== undefined)
  const earliest = starts.toSorted((one, other) => one.startMs - other.startMs)[0]
  if (earliest === undefined || earliest.startMs <= earliest.endMs) return
  const { store, name, startMs } = earliest
  const others = starts.length > 1 ? ', and with everything else from later on' : ''
  throw new UsageError(
    `--to ${to} without --from reads nothing: it would go on with ${name} of ${store} ` +
      `from ${utcDay(startMs)}${others}`,
    `Say where to begin, and add --again to read also what is proven already: ` +
      `tillage sync --from ${addDays(to, -FIRST_DAYS)} --to ${to}`,
  )
}

/** Where a list of a store would be read from, and until when; undefined: it was never there. */
async function startOf(
  { destination, now }: Dependencies,
  config: Config,
  { store, name, to }: { store: string; name: string; to: string },
): Promise<{ store: string; name: string; startMs: number; endMs: number } | undefined> {
  const { findings, ledger, stores } = destination
  const timeZone = (await stores.find(store))?.timeZone ?? 'UTC'
  const endMs = Math.min(businessDayStart(to, storeClockOf(config, store, timeZone)), now())
  const rows = await ledger.windows(store, name)
  const found = await findings.of(store, name)
  if (rows.length === 0 && found.some(({ code }) => code === NOT_OFFERED)) return undefined
  const lookbackMs = lookbackOf(findStream(name)!, await ledger.lateness(store, name), now())
  return { store, name, startMs: startWithoutFrom(rows, lookbackMs, endMs), endMs }
}
