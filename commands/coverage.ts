import { dayOf, dayStart, wallMinute } from '../calendar/clock.ts'
import { DAY_MS, toIso } from '../calendar/days.ts'
import { merge } from '../calendar/interval.ts'
import { openReadOnly } from '../connectors/database.ts'
import { coverage as coverageOf } from '../connectors/destination/coverage.ts'
import type { CoveragePart } from '../connectors/destination/coverage.ts'
import { failedAgain, withFailedAgain } from '../connectors/destination/failed-again.ts'
import { lookbackOf } from '../connectors/destination/lookback.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { findStream, streams } from '../connectors/partner/streams/index.ts'
import { NOT_OFFERED } from '../reading/check-offered.ts'
import { checkDays, chooseReadStores, chooseStreams } from './arguments/choices.ts'
import type { DayRange } from './arguments/choices.ts'
import { declareCommand, days } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

interface StoreCoverage {
  store: string
  timeZone: string
  lookbackMs: number
  parts: CoveragePart[]
  /** False: the API, or this partner key, said when it was asked last that it does not have it. */
  offered: boolean
}

/**
 * `tillage coverage STREAM`: what is proven, stale, unproven and never read, with the evidence. 3
 * if not all is proven; stale is, but a run is due.
 */
export async function coverage(
  { config, terminal }: Context,
  options: DayRange & { store?: string },
  streamName: string,
): Promise<number> {
  const [stream] = chooseStreams([streamName])
  const days = checkDays(options)
  const database = await openReadOnly(config, streams)
  try {
    const stores: StoreCoverage[] = []
    for (const store of await chooseReadStores(config, database, options.store))
      stores.push(await readCoverage(database, store, stream!, days))
    terminal.print(
      terminal.json
        ? JSON.stringify({ stream, stores: stores.map(storeAsJson) })
        : describe(stream!, stores),
    )
    return stores.every(isCovered) ? 0 : 3
  } finally {
    await database.close()
  }
}

async function readCoverage(
  database: ReadOnlyDatabase,
  store: string,
  stream: string,
  { from, to }: DayRange,
): Promise<StoreCoverage> {
  const rows = await database.ledger.windows(store, stream)
  const timeZone = await database.zoneOfRows(store)
  const read = merge(rows)
  const startMs = from === undefined ? (read[0]?.startMs ?? 0) : dayStart(from, timeZone)
  const readUntilMs = Math.max(startMs, read.at(-1)?.endMs ?? 0)
  const endMs = to === undefined ? readUntilMs : dayStart(to, timeZone)
  const nowMs = Date.now()
  const lateness = await database.ledger.lateness(store, stream)
  const lookbackMs = lookbackOf(findStream(stream)!, lateness, nowMs)
  const findings = await database.findings.of(store, stream)
  const failed = (await database.ledger.failedReadings(store)).filter(one => one.stream === stream)
  const parts = withFailedAgain(
    coverageOf(rows, { startMs, endMs }, { nowMs, lookbackMs }),
    failedAgain(failed, rows),
    findings,
  )
  const offered = !findings.some(({ code }) => code === NOT_OFFERED)
  return { store, timeZone, lookbackMs, parts, offered }
}

const isCovered = ({ parts }: StoreCoverage): boolean =>
  parts.length > 0 && parts.every(({ status }) => status === 'proven' || status === 'stale')

const storeAsJson = ({ store, lookbackMs, parts }: StoreCoverage): object => ({
  store,
  lookbackDays: Number.isFinite(lookbackMs) ? lookbackMs / DAY_MS : null,
  windows: parts.map(asJson),
})

const asJson = ({ startMs, endMs, status, evidence }: CoveragePart): object => ({
  start: toIso(startMs),
  end: toIso(endMs),
  status,
  evidence: evidence === undefined ? null : (JSON.parse(evidence) as unknown),
})

interface Evidence {
  by?: string
  reason?: string
  detail?: string
  rows?: number
  readAt?: string
}

function describe(stream: string, stores: readonly StoreCoverage[]): string {
  const rows = stores.flatMap(({ store, timeZone, parts }) =>
    parts.map(({ startMs, endMs, status, evidence }) => {
      const known = evidence === undefined ? {} : (JSON.parse(evidence) as Evidence)
      const reasons = [known.reason, known.detail].filter(text => text !== undefined)
      return [
        store,
        dayOf(startMs, timeZone),
        dayOf(endMs - 1, timeZone),
        status,
        known.rows ?? '',
        known.readAt === undefined ? '' : wallMinute(Date.parse(known.readAt), timeZone),
        known.by ?? reasons.join(': '),
      ]
    }),
  )
  const silent = describeSilent(stream, stores)
  if (rows.length === 0) return silent.join('\n')
  const table = formatTable(
    ['store', 'first day', 'last day', 'status', 'rows', 'read (store time)', 'evidence'],
    rows,
    { minor: ['read (store time)'] },
  )
  const isStale = stores.some(({ parts }) => parts.some(({ status }) => status === 'stale'))
  const stale =
    '  stale: proven more than a day ago, so soon after it happened that late ' +
    'or edited records may have\n  come since; ' +
    `tillage sync ${stream} with --from and --to reads those days again`
  return [
    table,
    ...(silent.length === 0 ? [] : [silent.map(line => `  ${line}`).join('\n')]),
    ...(isStale ? [stale] : []),
  ].join('\n\n')
}

/** Stores of which the table has no line. */
const describeSilent = (stream: string, stores: readonly StoreCoverage[]): string[] =>
  stores
    .filter(({ parts }) => parts.length === 0)
    .map(({ store, offered }) =>
      offered
        ? `${store}: nothing of ${stream} was read yet`
        : `${store}: the API does not offer ${stream}, so there is nothing to prove`,
    )

export const command = declareCommand({
  takes: '<stream>',
  choose:
    'For example: tillage coverage transactions. Every stream in one table: tillage status --all',
  options: days(),
  notes: 'Each part of the range comes with its evidence.',
  run: coverage,
})
