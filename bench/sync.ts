/**
 * `npm run bench -- [RECORDS]`: a whole `sync` of transactions (Temporal, proof, ledger) against
 * the loader alone on the same pages, in one run, as a ratio; memory and history events beside it.
 * Times never fail anything: read the ratio.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pLimit from 'p-limit'
import type { LimitFunction } from 'p-limit'
import { createDependencies } from '../activities/dependencies.ts'
import { dayStart } from '../calendar/clock.ts'
import { addDays, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/interval.ts'
import { tile, wireRange } from '../calendar/windows.ts'
import { loadConfig } from '../config.ts'
import type { Config } from '../config.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { openDestination } from '../connectors/sqlite/destination.ts'
import { runSync } from '../temporal/run-sync.ts'
import { startWorker } from '../worker.ts'
import { syncStreamId } from '../workflows/ids.ts'

process.env['TZ'] = 'UTC'
const records = Number(process.argv[2] ?? 100_000)
const days = 60
const until = '2026-03-31'
const range = { from: addDays(until, -days), to: until }
const stream = streams[0]!

const folder = mkdtempSync(join(tmpdir(), 'tillage-bench-'))
const sandbox = spawn(
  process.execPath,
  [
    new URL('../cli.ts', import.meta.url).pathname,
    'sandbox',
    '--json',
    '--stores',
    '1',
    '--days',
    String(days),
    '--until',
    until,
    '--transactions-per-day',
    String(Math.round(records / days)),
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
try {
  const [line] = (await once(createInterface({ input: sandbox.stdout }), 'line')) as [string]
  const facts = JSON.parse(line) as {
    baseUrl: string
    partnerKey: string
    stores: { id: string; timeZone: string; developerKey: string }[]
  }
  const configOf = (name: string): Config => {
    const file = join(folder, `${name}.yaml`)
    const stores = facts.stores.map(({ id, timeZone, developerKey }) => ({
      id,
      timeZone,
      developerKey,
      baseUrl: facts.baseUrl,
      partnerKey: facts.partnerKey,
    }))
    writeFileSync(
      file,
      JSON.stringify({ stores, database: `./${name}/tillage.db`, exports: `./${name}/exports` }),
    )
    return loadConfig(file)
  }
  const loader = await loadAlone(configOf('loader'))
  const whole = await syncWhole(configOf('sync'))
  const perSecond = (seconds: number, rows: number): string =>
    `${Math.round(rows / seconds).toLocaleString('en-US')} rows/s`
  console.log(
    `loader alone   ${loader.seconds.toFixed(2)} s  ${perSecond(loader.seconds, loader.rows)}  (${loader.pages} pages, ${loader.rows.toLocaleString('en-US')} rows)`,
  )
  console.log(
    `whole sync     ${whole.seconds.toFixed(2)} s  ${perSecond(whole.seconds, whole.rows)}  (${whole.requests} requests, ${whole.windows} windows proven, ${whole.held.toLocaleString('en-US')} records held)`,
  )
  console.log(`ratio          ${(whole.seconds / loader.seconds).toFixed(2)}`)
  console.log(`memory         ${whole.idleMb} MB idle, ${whole.peakMb} MB at most while syncing`)
  console.log(
    `history        ${(whole.events / whole.windows).toFixed(1)} events a window, ${whole.events} in all`,
  )
} finally {
  sandbox.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}

/** Fetches and stages a page: how many rows it held, and how many the API says there are. */
type Load = (offset: number, page: number) => Promise<{ total: number; rows: number }>

/**
 * The same windows and pages, fetched 8 at once and merged a window at a time: no Temporal, no
 * proof, no ledger to ask.
 */
async function loadAlone(
  config: Config,
): Promise<{ seconds: number; rows: number; pages: number }> {
  const destination = await openDestination(config.database, streams)
  const store = config.stores[0]!
  const zone = store.timeZone!
  const dependencies = createDependencies(
    destination,
    streams,
    [{ ...store, timeZone: zone }],
    () => Promise.reject(new Error('no books here')),
  )
  const { client, readPage } = dependencies.store(store.id).endpoint(stream)
  const limit = pLimit(8)
  const startedMs = performance.now()
  const sum = { rows: 0, pages: 0 }
  const bounds = { startMs: dayStart(range.from, zone), endMs: dayStart(range.to, zone) }
  let committing: Promise<unknown> = Promise.resolve()
  for (const window of tile(bounds, zone, stream.windowing).reverse()) {
    const wire = wireRange(window, zone, stream.windowing)
    const reading = toIso(window.startMs)
    const load: Load = async (offset, page) => {
      const query = { ...wire.query, skip: String(offset), limit: '100' }
      const read = readPage(await client.get(stream.path, query), wire.widest)
      const { listPath, body } = read
      await destination.windows.stage({ reading, page, listPath, rows: read.rows.length, body })
      return { total: read.total ?? 0, rows: read.rows.length }
    }
    const { fetched, offsets } = await loadPages(load, limit)
    sum.rows += fetched
    sum.pages += offsets.length + 1
    await committing
    committing = commitAlone(destination, store.id, { window, reading, fetched, offsets })
  }
  await committing
  const seconds = (performance.now() - startedMs) / 1000
  await dependencies.close()
  return { seconds, ...sum }
}

/** The first page says how many there are; each after it begins with the last row before it. */
async function loadPages(
  load: Load,
  limit: LimitFunction,
): Promise<{ fetched: number; offsets: number[] }> {
  const first = await load(0, 0)
  const count = Math.max(0, Math.ceil((first.total - 100) / 99))
  const offsets = Array.from({ length: count }, (_, index) => (index + 1) * 99)
  const others = await Promise.all(
    offsets.map((offset, index) => limit(() => load(offset, index + 1))),
  )
  return { fetched: others.reduce((sum, page) => sum + page.rows, first.rows), offsets }
}

function commitAlone(
  destination: Destination,
  store: string,
  loaded: { window: Interval; reading: string; fetched: number; offsets: number[] },
): Promise<unknown> {
  const { window, reading, fetched, offsets } = loaded
  return destination.windows.commit({
    reading,
    store,
    stream: stream.name,
    window: { start: toIso(window.startMs), end: toIso(window.endMs) },
    status: 'proven',
    evidence: {},
    superseded: Object.fromEntries(offsets.map((_, index) => [index + 1, [0]])),
    fetched,
    findings: [],
    readAt: toIso(0),
  })
}

interface Whole {
  seconds: number
  rows: number
  held: number
  requests: number
  windows: number
  idleMb: number
  peakMb: number
  events: number
}

/**
 * Temporal, worker and workflow as `tillage sync` uses them; starting the server is not part of the
 * time.
 */
async function syncWhole(config: Config): Promise<Whole> {
  const worker = await startWorker(config, () => {})
  const megabytes = (): number => Math.round(process.memoryUsage.rss() / 1e6)
  const idleMb = megabytes()
  let peakMb = idleMb
  const watch = setInterval(() => (peakMb = Math.max(peakMb, megabytes())), 100)
  try {
    const startedMs = performance.now()
    const store = config.stores[0]!.id
    const { report, facts } = await runSync(
      worker,
      { stores: [store], streams: [stream.name], ...range },
      line => process.stderr.isTTY && process.stderr.write(`\r${line}`),
      new AbortController().signal,
    )
    const seconds = (performance.now() - startedMs) / 1000
    const done = report.stores[0]!.streams[0]!
    const history = await worker.client.workflow
      .getHandle(syncStreamId({ store, ...range }, stream.name))
      .fetchHistory()
    return {
      seconds,
      rows: done.records.fetched,
      held: facts[0]!.held,
      requests: done.requests,
      windows: done.windows.proven,
      idleMb,
      peakMb,
      events: history.events?.length ?? 0,
    }
  } finally {
    clearInterval(watch)
    await worker.close()
  }
}
