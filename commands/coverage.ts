import { DAY_MS, toIso } from '../calendar/days.ts'
import { openReadOnly } from '../connectors/database.ts'
import type { CoveragePart } from '../connectors/destination/coverage.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { coverageLines, isCovered, readCoverage } from '../standing/read-coverage.ts'
import type { CoverageLine, StoreCoverage } from '../standing/read-coverage.ts'
import { checkDays, chooseReadStores, chooseStreams } from './arguments/choices.ts'
import type { DayRange } from './arguments/choices.ts'
import { declareCommand, days } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

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
  await using database = await openReadOnly(config, streams)
  const stores: StoreCoverage[] = []
  for (const store of await chooseReadStores(config, database, options.store))
    stores.push(...(await readCoverage(database, store, [stream!], days)))
  if (terminal.json) terminal.print(JSON.stringify({ stream, stores: stores.map(storeAsJson) }))
  else {
    const lines = stores.map(async one => [one.store, await coverageLines(database, one)] as const)
    terminal.print(describe(stream!, stores, await Promise.all(lines)))
  }
  return stores.every(isCovered) ? 0 : 3
}

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

function describe(
  stream: string,
  stores: readonly StoreCoverage[],
  lines: readonly (readonly [store: string, lines: readonly CoverageLine[]])[],
): string {
  const rows = lines.flatMap(([store, of]) =>
    of.map(line => {
      const { firstDay, lastDay, status, readAt, evidence } = line
      return [store, firstDay, lastDay, status, line.rows ?? '', readAt, evidence]
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
  notes:
    'Each part of the range comes with its evidence, and with the rows that the database holds of it; ' +
    'of a list that takes no dates, with those of the whole list.',
  run: coverage,
})
