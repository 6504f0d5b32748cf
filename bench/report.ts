/** The results of the duel as a page of the documentation. */
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import type { Cost } from './measure.ts'
import type { Ceilings, Exported, Governed, Run } from './regimes.ts'
import { IDLE_SECONDS, MOVING_LIMIT } from './regimes.ts'

export interface Results {
  plain: readonly Run[]
  postgres: { version: string; runs: readonly Run[] }
  slow: readonly Run[]
  many: readonly Run[]
  again: Cost
  /** Its memory is what it holds in the end. */
  idle: Cost
  ceilings: Ceilings
  /** To fetch the pages of `slow` and throw them away, with as many requests in flight. */
  slowDrainSeconds: number
  exported: Exported
  governed: Governed
  /** Why script and framework did not run; undefined if they did. */
  peersMissing: string | undefined
}

const IN_FLIGHT = 8
const PAGE = 100
const LATENCY_SECONDS = 0.05

export function writePage(results: Results): string {
  const { peersMissing, postgres } = results
  const parts = [
    '# Performance',
    'Written by `npm run bench`, which runs all of this by itself; do not edit.',
    describeMachine(),
    peersMissing === undefined ? '' : `Script and framework were not run: ${peersMissing}.`,
    writeContenders(),
    writeRatios(results),
    '## Each run',
    `No latency:\n\n${writeRuns(results.plain)}`,
    `50 ms for each page, ${IN_FLIGHT} requests in flight:\n\n${writeRuns(results.slow)}`,
    `Into ${postgres.version}, on the same machine, without latency:\n\n${writeRuns(postgres.runs)}`,
    results.many.length === 0 ? '' : `A longer list:\n\n${writeRuns(results.many)}`,
    writeSmall(results),
    '![records a second of each contender](performance-duel.svg)',
    writeGovernor(results.governed),
    MEASURED_BY_HAND,
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

const MEASURED_BY_HAND = `## Measured by hand

How soon an event is in the tables, and what a flood of them costs: [webhooks](webhooks.md#measured).
How much Temporal keeps: [operating](operating.md#what-temporal-keeps).`

function describeMachine(): string {
  const versions = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const packages = JSON.parse(versions) as { dependencies: Record<string, string> }
  const used = ['better-sqlite3', '@duckdb/node-api', '@temporalio/worker']
    .map(name => `${name} ${packages.dependencies[name]}`)
    .join(', ')
  const memory = Math.round(totalmem() / 2 ** 30)
  const day = new Date().toISOString().slice(0, 10)
  return (
    `${day}, ${availableParallelism()} cores (${cpus()[0]!.model}), ${memory} GB, ` +
    `${process.platform} ${release()}, Node ${process.versions.node}, ${used}.`
  )
}

function writeContenders(): string {
  return `Who takes part ([the code](../bench)):

- **Tillage**: the built package, \`tillage sync transactions\`, everything included: start, Temporal, proof, ledger, stop.
- **script**: what a careful engineer writes in an afternoon: httpx with eight requests in flight, orjson, executemany
  into three tables. It proves nothing and cannot resume.
- **framework**: dlt, tuned as its documentation says, into the same three tables. It proves nothing either.

They read the same records of about 3.5 KB from the same server on the same machine. "lost" and "twice" are rows of the
three tables that a contender lacks or has too often. Processor time is that of all processes of a contender, memory
the most that its living processes had at one time; those of the API, and of PostgreSQL, are not in them.`
}

function writeRatios(results: Results): string {
  const { plain, postgres, slow, slowDrainSeconds, many, ceilings, exported } = results
  const onPostgres = bestOf(postgres.runs.filter(isTillage))
  const ours = plain.filter(isTillage)
  const wall = bestOf(ours)
  const needed = Math.ceil(ours[0]!.records / PAGE)
  const ideal = (needed * LATENCY_SECONDS) / IN_FLIGHT
  const oursSlow = bestOf(slow.filter(isTillage))
  const rows = [
    ...compare('script', plain, 'script’s time / ours'),
    ...compare('framework (dlt)', plain, 'framework’s time / ours'),
    ...compare('script', many, `script’s time / ours, ${count(many[0]?.records ?? 0)} records`),
    ...compare(
      'framework (dlt) on PostgreSQL',
      postgres.runs,
      'framework’s time / ours, PostgreSQL',
    ),
    row('SQLite’s time / PostgreSQL’s, ours', ratio(wall / onPostgres)),
    row('requests / pages that hold the records', ratio(ours[0]!.requests / needed)),
    row('50 ms a page: ideal time / ours', ratio(ideal / oursSlow)),
    row('50 ms a page: draining the same pages / ours', ratio(slowDrainSeconds / oursSlow)),
    row('ours / draining the same pages', ratio(wall / ceilings.drainSeconds)),
    row('ours / SQLite copying the same rows', ratio(wall / ceilings.sqliteSeconds)),
    row('export / DuckDB’s own COPY', ratio(exported.cost.wallSeconds / exported.copySeconds)),
    row('the same contender twice, slower / faster', noiseOf(plain)),
  ]
  return `## Ratios\n\n${table(['of the better run of each', 'ratio'], rows)}`
}

const isTillage = ({ contender }: Run): boolean => contender.startsWith('Tillage')
const bestOf = (runs: readonly Run[]): number =>
  Math.min(...runs.map(({ wallSeconds }) => wallSeconds))

function compare(name: string, runs: readonly Run[], label: string): string[] {
  const theirs = runs.filter(({ contender }) => contender === name)
  if (theirs.length === 0) return []
  return [row(label, ratio(bestOf(theirs) / bestOf(runs.filter(isTillage))))]
}

function noiseOf(runs: readonly Run[]): string {
  const names = [...new Set(runs.map(({ contender }) => contender))]
  const spreads = names.flatMap(name => {
    const times = runs.filter(run => run.contender === name).map(run => run.wallSeconds)
    return times.length < 2 ? [] : [`${name} ${ratio(Math.max(...times) / Math.min(...times))}`]
  })
  return spreads.join(', ') || 'one round only'
}

function writeRuns(runs: readonly Run[]): string {
  const head = ['', 'records', 'seconds', 'records/s', 'CPU s', 'MB', 'requests', 'lost', 'twice']
  const rows = runs.map(run =>
    row(
      run.contender,
      count(run.records),
      run.wallSeconds.toFixed(1),
      count(run.records / run.wallSeconds),
      run.cpuSeconds?.toFixed(1) ?? 'not measured',
      run.peakMb === undefined ? 'not measured' : count(run.peakMb),
      count(run.requests),
      count(run.lost),
      `${count(run.twice)}${run.sameVersions ? '' : ', other versions'}`,
    ),
  )
  return [table(head, rows), ...writeBusy(runs)].join('\n\n')
}

/** Fetching and writing overlap; where neither is at work, something waits that need not. */
const writeBusy = (runs: readonly Run[]): string[] =>
  runs.flatMap(({ contender, busy, wallSeconds }) =>
    busy === undefined
      ? []
      : [
          `${contender}, ${wallSeconds.toFixed(1)} s: without start and stop, ` +
            `the API was at work for ${percent(busy.api)} of the time, ` +
            `the database for ${percent(busy.writer)}, ` +
            `one of them or both for ${percent(busy.either)}.`,
        ],
  )

function writeSmall({ again, idle, ceilings, slowDrainSeconds, exported }: Results): string {
  const rows = [
    row('a sync with nothing to do', ...costCells(again)),
    row(`\`up\`, left alone for ${IDLE_SECONDS} s`, ...costCells(idle)),
    row(
      `export of ${exported.datasets.length} datasets, CSV and Parquet`,
      ...costCells(exported.cost),
    ),
    row('DuckDB’s own COPY of them', exported.copySeconds.toFixed(1), '', ''),
    row('draining the pages', ceilings.drainSeconds.toFixed(1), '', ''),
    row('draining them at 50 ms a page', slowDrainSeconds.toFixed(1), '', ''),
    row('SQLite copying the rows', ceilings.sqliteSeconds.toFixed(1), '', ''),
  ]
  return `The rest, and what bounds it:\n\n${table(['', 'seconds', 'CPU s', 'MB'], rows)}`
}

const costCells = ({ wallSeconds, cpuSeconds, peakMb }: Cost): string[] => [
  wallSeconds.toFixed(1),
  cpuSeconds?.toFixed(1) ?? '',
  peakMb === undefined ? '' : count(peakMb),
]

function writeGovernor({ run, seconds }: Governed): string {
  const rows = MOVING_LIMIT.map(({ perSecond }) => {
    const its = whole(seconds.filter(({ limit }) => limit === perSecond))
    const answered = its.reduce((sum, second) => sum + second.answered, 0)
    const refused = its.reduce((sum, second) => sum + second.refused, 0)
    return row(
      `${perSecond} a second`,
      (answered / Math.max(1, its.length)).toFixed(1),
      `${((100 * refused) / Math.max(1, answered + refused)).toFixed(1)} %`,
    )
  })
  const share = (100 * run.refused) / (run.requests + run.refused)
  return `## A limit that nobody told it

The API allows ${MOVING_LIMIT.map(({ perSecond }) => perSecond).join(', then ')} requests a second and says nothing of it but 429.
Of ${count(run.requests + run.refused)} requests ${count(run.refused)} were refused (${share.toFixed(1)} %).

${table(['limit', 'answered a second', 'refused'], rows)}

![requests a second under a moving limit](performance-governor.svg)`
}

/** Without the first and the last second, which are cut. */
const whole = <T>(seconds: readonly T[]): readonly T[] => seconds.slice(1, -1)

const percent = (share: number): string => `${Math.round(100 * share)} %`
const ratio = (value: number): string => value.toFixed(2)
const count = (value: number): string => Math.round(value).toLocaleString('en-US')
const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n')
