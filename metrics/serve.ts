import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { RunningWorker } from '../temporal/session.ts'
import { createGatherer } from './gather.ts'
import { createSeries } from './series.ts'
import type { Series } from './series.ts'
import { startMetricsServer } from './server.ts'
import type { MetricsServer, Readiness } from './server.ts'
import type { MetricsSettings } from './settings.ts'

/** A check that takes longer has failed. */
const LONGEST_CHECK_MS = 2_000

/** Serves what a worker and its database do; the Temporal SDK's own series are on the same page. */
export async function serveMetrics(
  worker: RunningWorker,
  { listen }: MetricsSettings,
  { readOpen, readId, exports }: Asked,
): Promise<MetricsServer> {
  const series = createSeries()
  const gather = createGatherer({ ...worker.dependencies, exports }, series)
  const countOpen = createOpenCounter(series, readOpen)
  const stopCounting = countAnswers(worker, series)
  timeExports(worker, series)
  const state = { isRunning: true }
  worker.stopped.catch(() => {}).finally(() => (state.isRunning = false))
  const server = await startMetricsServer(listen, {
    async metrics() {
      await gather(Date.now())
      await countOpen(Date.now())
      return (await series.page()) + (await pageOfSdk(worker.sdkMetrics))
    },
    ready: () => readyOf(worker, state.isRunning, readId),
  })
  return {
    ...server,
    async close() {
      stopCounting()
      await server.close()
    },
  }
}

/** How to ask what others see. */
interface Asked {
  readOpen: ReadOpen
  /** Of the database that lies where tillage.yaml says. */
  readId(): Promise<string>
  exports: string
}

/** What somebody is called for by now, of which a page counts the severities. */
type ReadOpen = () => Promise<readonly { severity: 'warning' | 'critical' }[]>

/** To find out what is open looks at books and files: once a minute is enough for a figure. */
const OPEN_EVERY_MS = 60_000

function createOpenCounter(series: Series, readOpen: ReadOpen): (nowMs: number) => Promise<void> {
  let readAtMs = -Infinity
  return async nowMs => {
    if (nowMs - readAtMs < OPEN_EVERY_MS) return
    readAtMs = nowMs
    const open = await readOpen()
    for (const severity of ['warning', 'critical'] as const) {
      const many = open.filter(one => one.severity === severity).length
      series.openNotices.set({ severity }, many)
    }
  }
}

/** Empty where the SDK serves none: this page is about our work first. */
async function pageOfSdk(address: string | undefined): Promise<string> {
  if (address === undefined) return ''
  try {
    const signal = AbortSignal.timeout(LONGEST_CHECK_MS)
    return await (await fetch(`http://${address}/metrics`, { signal })).text()
  } catch {
    return ''
  }
}

async function readyOf(
  { client, dependencies }: RunningWorker,
  worker: boolean,
  readId: Asked['readId'],
): Promise<Readiness> {
  const [database, temporal] = await Promise.all([
    isInPlace(dependencies.destination, readId),
    answers(
      client.withDeadline(Date.now() + LONGEST_CHECK_MS, () =>
        client.workflowService.getSystemInfo({}),
      ),
    ),
  ])
  return { worker, database, temporal }
}

/** A file that was moved away or replaced still answers whoever has it open. */
const isInPlace = async (
  { identity }: Pick<RunningWorker['dependencies']['destination'], 'identity'>,
  readId: Asked['readId'],
): Promise<boolean> => {
  try {
    return (await readId()) === (await identity.id())
  } catch {
    return false
  }
}

const answers = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  )

/** Of undici, which sends all requests to the API: documented events of each of them. */
interface Heard {
  request: { origin?: string | URL }
  response?: { statusCode: number }
}

const REFUSED: readonly number[] = [429, 503]

/** By status; `none`: no answer came. */
function countAnswers({ dependencies }: RunningWorker, series: Series): () => void {
  const origins = new Set(dependencies.stores.map(({ baseUrl }) => new URL(baseUrl).origin))
  const count = (message: unknown): void => {
    const { request, response } = message as Heard
    if (!origins.has(String(request.origin))) return
    const status = response?.statusCode
    series.requests.inc({ status: status === undefined ? 'none' : String(status) })
    if (status !== undefined && REFUSED.includes(status)) series.refused.inc()
  }
  const channels = ['undici:request:headers', 'undici:request:error']
  for (const channel of channels) subscribe(channel, count)
  return () => channels.forEach(channel => unsubscribe(channel, count))
}

function timeExports({ dependencies }: RunningWorker, series: Series): void {
  const write = dependencies.writeBooks
  dependencies.writeBooks = async (...order) => {
    const end = series.exportSeconds.startTimer()
    try {
      return await write(...order)
    } finally {
      end()
    }
  }
}
