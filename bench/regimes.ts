/** The situations of the duel. Each runs its contenders in turns and says what each run cost. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { BusyShares } from '../activities/busy.ts'
import { addDays } from '../calendar/days.ts'
import type { Api } from './api.ts'
import { copyWithDuckdb, drainPages, loadIntoSqlite } from './ceilings.ts'
import type { Contender, Task } from './contenders.ts'
import { runTillage, TILLAGE } from './contenders.ts'
import { countRows } from './count-rows.ts'
import type { Losses } from './count-rows.ts'
import { measure, measureIdle } from './measure.ts'
import type { Cost } from './measure.ts'
import type { Second } from './server.ts'

export interface Run extends Cost, Losses {
  contender: string
  records: number
  /** Answered by the API; what it refused counts apart. */
  requests: number
  refused: number
  busy: BusyShares | undefined
}

/** One contender reads everything into an empty database; the folder stays until the next run. */
export async function readAll(api: Api, contender: Contender, folder: string): Promise<Run> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const before = await api.facts()
  const task: Task = { url: api.url, facts: before, folder }
  const cost = await measure(contender.command(task))
  const after = await api.facts()
  return {
    contender: contender.name,
    records: before.held.transactions,
    requests: after.requests - before.requests,
    refused: after.refused - before.refused,
    busy: contender.busy?.(folder),
    ...cost,
    ...(await countRows(contender, folder, before.held)),
  }
}

/** Every contender in turns, as often as there are rounds: the same one twice shows the noise. */
export async function takeTurns(
  api: Api,
  contenders: readonly Contender[],
  rounds: number,
  folderOf: (contender: Contender) => string,
): Promise<Run[]> {
  const runs: Run[] = []
  for (let round = 0; round < rounds; round++)
    for (const contender of contenders) {
      const run = await readAll(api, contender, folderOf(contender))
      console.log(
        `${run.records.toLocaleString('en-US')} records, ${run.contender}: ` +
          `${run.wallSeconds.toFixed(1)} s`,
      )
      runs.push(run)
    }
  return runs
}

/** A second sync of what has just been read. */
export async function syncAgain(folder: string, task: Task): Promise<Cost> {
  const [from, last] = task.facts.days
  return measure(
    runTillage(folder, ['sync', 'transactions', '--from', from, '--to', addDays(last, 1)]),
  )
}

/** `tillage up`, when it has been left alone for so long. */
export const IDLE_SECONDS = 20

export const stayUp = (folder: string): Promise<Cost> =>
  measureIdle(runTillage(folder, ['up']), () => wait(IDLE_SECONDS * 1000))

/** Requests a second that the API allows, and from which second on. */
export const MOVING_LIMIT = [
  { fromSecond: 0, perSecond: 20 },
  { fromSecond: 12, perSecond: 50 },
  { fromSecond: 24, perSecond: 5 },
] as const

export interface Governed {
  run: Run
  /** From the first request to the last. */
  seconds: readonly Second[]
}

/** Tillage against a limit that nobody told it and that changes while it reads. */
export async function moveLimit(api: Api, folder: string): Promise<Governed> {
  const startedAt = Math.floor(Date.now() / 1000)
  const stop = new AbortController()
  const moving = moveThrough(api, stop.signal)
  const run = await readAll(api, TILLAGE, folder)
  stop.abort()
  await moving
  await api.set()
  const { seconds } = await api.facts()
  return { run, seconds: seconds.filter(({ at }) => at >= startedAt) }
}

async function moveThrough(api: Api, signal: AbortSignal): Promise<void> {
  let passed = 0
  for (const { fromSecond, perSecond } of MOVING_LIMIT) {
    try {
      await wait((fromSecond - passed) * 1000, undefined, { signal })
    } catch {
      return
    }
    passed = fromSecond
    await api.set({ perSecond })
  }
}

export interface Ceilings {
  drainSeconds: number
  sqliteSeconds: number
}

/** What reading the pages and writing the rows take on their own. */
export async function findCeilings(api: Api, folder: string): Promise<Ceilings> {
  const { held } = await api.facts()
  return {
    drainSeconds: await drainPages(api.url, held.transactions),
    sqliteSeconds: loadIntoSqlite(TILLAGE.database(folder), folder),
  }
}

export interface Exported {
  cost: Cost
  copySeconds: number
  datasets: readonly string[]
}

/** The books of everything that was read as CSV and Parquet, beside DuckDB's own COPY of them. */
export async function exportBooks(folder: string, task: Task): Promise<Exported> {
  const datasets = ['transactions', 'transaction_items', 'item_lots', 'payments', 'taxes']
  const [from, last] = task.facts.days
  const args = ['export', ...datasets, '--from', from, '--to', last, '--format', 'csv,parquet']
  const cost = await measure(runTillage(folder, args))
  const files = readdirSync(join(folder, 'exports'), { recursive: true, encoding: 'utf8' })
  const parquet = files
    .filter(file => file.endsWith('.parquet'))
    .map(file => join(folder, 'exports', file))
  return { cost, copySeconds: await copyWithDuckdb(parquet, folder), datasets }
}
