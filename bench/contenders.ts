/** Who takes part in the duel, what each runs, and where its rows are afterwards. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BusyShares } from '../activities/busy.ts'
import { addDays } from '../calendar/days.ts'
import { sha256Of } from '../sha256.ts'
import type { SyncReport } from '../temporal/run-sync.ts'
import { buildPackage } from '../tools/build-package.ts'
import type { Command } from './measure.ts'
import type { Facts } from './server.ts'

const ROOT = resolve(import.meta.dirname, '..')
const PEERS = join(import.meta.dirname, 'peers')
const ENVIRONMENT = join(ROOT, 'node_modules', '.cache', 'bench-python')

/** What the duel is about: an API, the days that it holds, an empty folder. */
export interface Task {
  url: string
  facts: Facts
  folder: string
}

export interface Contender {
  name: string
  command(task: Task): Command
  /** Its database, path or address, and what the three tables are called in it. */
  database(folder: string): string
  /** Shares of its run in which API and database were at work, where it says so. */
  busy?(folder: string): BusyShares
  /** `modified` is SQL for that time in epoch milliseconds, where the column is another. */
  tables: { transactions: string; lines: string; payments: string; modified?: string }
}

/** The built package, as somebody who installed it runs it. */
export const TILLAGE: Contender = {
  name: 'Tillage',
  command: task => {
    writeConfig(task)
    const [from, last] = task.facts.days
    const days = ['--from', from, '--to', addDays(last, 1)]
    return runTillage(task.folder, ['sync', 'transactions', ...days, '--json'])
  },
  database: folder => join(folder, 'tillage.db'),
  busy: folder => {
    const lines = readFileSync(join(folder, 'sync.log'), 'utf8').split('\n')
    return (JSON.parse(lines.find(line => line.startsWith('{'))!) as SyncReport).busy
  },
  tables: {
    transactions: 'transactions',
    lines: 'transaction_items',
    payments: 'transaction_payments',
  },
}

export const SCRIPT: Contender = {
  name: 'script',
  command: ({ url, folder }) =>
    runPython(folder, 'script.py', [`${url}/list`, join(folder, 'script.db')]),
  database: folder => join(folder, 'script.db'),
  tables: { transactions: 'transactions', lines: 'lines', payments: 'payments' },
}

export const FRAMEWORK: Contender = {
  name: 'framework (dlt)',
  command: ({ url, folder }) => runPython(folder, 'framework.py', [`${url}/list`, folder]),
  database: folder => join(folder, 'peer__raw.db'),
  tables: {
    transactions: 'transactions',
    lines: 'transactions__cart__items',
    payments: 'transactions__payments',
  },
}

/** The same two on a server of PostgreSQL, each in a schema of its own. */
export const onPostgres = (address: string): { tillage: Contender; framework: Contender } => ({
  tillage: {
    ...TILLAGE,
    name: 'Tillage on PostgreSQL',
    command: task => {
      const command = TILLAGE.command(task)
      writeConfig(task, `${address}?schema=tillage`)
      return command
    },
    database: () => `${address}?schema=tillage`,
    tables: { ...TILLAGE.tables, modified: '(extract(epoch FROM modified) * 1000)::bigint' },
  },
  framework: {
    ...FRAMEWORK,
    name: 'framework (dlt) on PostgreSQL',
    command: ({ url, folder }) =>
      runPython(folder, 'framework.py', [`${url}/list`, folder, address]),
    database: () => `${address}?schema=raw`,
  },
})

/** A command of the built package in a folder with a `tillage.yaml`. */
export function runTillage(folder: string, args: readonly string[]): Command {
  return {
    program: process.execPath,
    args: [join(ROOT, 'dist', 'bin', 'tillage.js'), ...args],
    cwd: folder,
    log: join(folder, `${args[0]}.log`),
  }
}

function runPython(folder: string, program: string, args: readonly string[]): Command {
  return {
    program: join(ENVIRONMENT, 'bin', 'python'),
    args: [join(PEERS, program), ...args],
    cwd: folder,
    log: join(folder, `${program}.log`),
  }
}

function writeConfig({ url, facts, folder }: Task, database = './tillage.db'): void {
  mkdirSync(folder, { recursive: true })
  const store = {
    id: 'duel',
    baseUrl: url,
    partnerKey: 'partner',
    developerKey: 'developer',
    timeZone: facts.timeZone,
    // As many in flight as the script has.
    limits: { concurrency: 8, requestsPerSecond: 100_000 },
  }
  writeFileSync(
    join(folder, 'tillage.yaml'),
    JSON.stringify({ stores: [store], database, exports: './exports' }),
  )
}

export async function buildTillage(): Promise<void> {
  await buildPackage(join(ROOT, 'dist'))
}

/** Makes the peers' Python environment once; undefined, or why the peers cannot run here. */
export function preparePeers(): string | undefined {
  try {
    if (!existsSync(readyMark())) makeEnvironment()
    return undefined
  } catch (error) {
    return String(error).split('\n')[0]!
  }
}

const REQUIREMENTS = join(PEERS, 'requirements.txt')

/** Of these requirements: others are installed anew. */
const readyMark = (): string =>
  join(ENVIRONMENT, `ready-${sha256Of(readFileSync(REQUIREMENTS)).slice(0, 12)}`)

function makeEnvironment(): void {
  execFileSync('python3', ['-m', 'venv', ENVIRONMENT], { stdio: 'pipe' })
  const pip = join(ENVIRONMENT, 'bin', 'pip')
  execFileSync(pip, ['install', '--quiet', '--requirement', REQUIREMENTS], { stdio: 'pipe' })
  writeFileSync(readyMark(), '')
}
