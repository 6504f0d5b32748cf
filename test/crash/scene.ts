import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts'
import { readServerRecord, serverFolder } from '../../temporal/server/server-folder.ts'
import { Project, storesOf, waitFor } from '../helpers/project.ts'
import type { DatabaseName, Outcome } from '../helpers/project.ts'
import type { CrashOrder } from './preload.ts'

const SANDBOX = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url))
const PRELOAD = fileURLToPath(new URL('./preload.ts', import.meta.url))
/** Little of everything, some of it bad: a point costs seconds, and there are hundreds. */
const DATA = {
  seed: 11,
  stores: 1,
  days: 9,
  until: '2026-03-15',
  transactionsPerDay: 30,
  profiles: ['bad-records'],
} satisfies SandboxOptions
const DATA_ARGUMENTS = Object.entries({
  seed: DATA.seed,
  stores: DATA.stores,
  days: DATA.days,
  until: DATA.until,
  'transactions-per-day': DATA.transactionsPerDay,
  profile: DATA.profiles.join(','),
}).flatMap(([name, value]) => [`--${name}`, String(value)])
const DAYS = ['--from', '2026-03-06', '--to', '2026-03-15']
const STREAMS = ['transactions', 'batches', 'members', 'purchase_orders', 'products', 'vendors']
const DATASETS = [
  'transactions',
  'transaction_items',
  'transaction_payments',
  'batches',
  'members',
  'purchase_orders',
  'products',
  'vendors',
]
/**
 * A run that has not ended by then hangs. Without trouble it takes seconds, with a killed server or
 * sandbox half a minute.
 */
const HANGS_AFTER_MS = 480_000

interface SceneOptions {
  killsSandbox: boolean
  database: DatabaseName
}

type Facts = Pick<Sandbox, 'baseUrl' | 'partnerKey' | 'stores'>

/**
 * A sandbox and a project for it, each a process that can be killed without a word. A sandbox that
 * nobody kills is part of this process, which costs a second less.
 */
export class Scene {
  readonly project = new Project()
  readonly database: DatabaseName
  private readonly log = join(this.project.folder, 'commits.log')
  private sandbox: ChildProcess | undefined
  private sandboxHere: Sandbox | undefined
  private facts: Facts | undefined

  private constructor(database: DatabaseName) {
    this.database = database
  }

  static async open({ killsSandbox, database }: SceneOptions): Promise<Scene> {
    const scene = new Scene(database)
    await scene.project.chooseDatabase(database)
    if (killsSandbox) await scene.startSandbox()
    else scene.facts = scene.sandboxHere = await startSandbox(DATA)
    scene.project.configure(storesOf(scene.facts as Sandbox))
    scene.project.nodeArguments = ['--import', PRELOAD]
    scene.order({})
    return scene
  }

  /** What the next start of the program does at a commit. */
  order(order: Omit<CrashOrder, 'log'>): void {
    this.project.environment = { TILLAGE_CRASH: JSON.stringify({ log: this.log, ...order }) }
  }

  /** On the port that it had before, so that a project finds it again. */
  async startSandbox(): Promise<void> {
    const port = this.facts === undefined ? '0' : new URL(this.facts.baseUrl).port
    this.sandbox = spawn(process.execPath, [SANDBOX, '--port', port, ...DATA_ARGUMENTS], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface(this.sandbox.stdout!), 'line')) as [string]
    this.facts = JSON.parse(line) as Facts
  }

  /** As a process of its own, which can be killed. */
  sync(): ReturnType<Project['start']> {
    return this.project.start('sync', ...STREAMS, ...DAYS)
  }

  /**
   * The same command once more, when nobody is killed any more: in this process, which costs a
   * third. The outcome, or `undefined` if it hangs.
   */
  async syncAgain(): Promise<Outcome | undefined> {
    const signal = AbortSignal.timeout(HANGS_AFTER_MS)
    const outcome = await this.project.runBeside(['sync', ...STREAMS, ...DAYS], signal)
    return signal.aborted ? undefined : outcome
  }

  /** The outcome of a run, or `undefined` if it hangs. */
  async outcomeOf(run: ReturnType<Project['start']>): Promise<Outcome | undefined> {
    const timer = setTimeout(() => run.kill('SIGKILL'), HANGS_AFTER_MS)
    const outcome = await run.outcome
    clearTimeout(timer)
    return run.signalCode === 'SIGKILL' ? undefined : outcome
  }

  export(): Promise<Outcome> {
    return this.project.runBeside([
      'export',
      ...DATASETS,
      ...DAYS,
      '--format',
      'csv,parquet,jsonl',
      '--json',
    ])
  }

  async requestsSeen(): Promise<number> {
    const answer = await fetch(`${this.facts!.baseUrl}/_control/requests`)
    return ((await answer.json()) as { total: number }).total
  }

  /** Three answers break off in the middle, from the n-th request on. */
  async cutConnections(after: number): Promise<void> {
    await fetch(`${this.facts!.baseUrl}/_control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ drop: true, after, times: 3 }]),
    })
  }

  commitsSeen(): string[] {
    try {
      return readFileSync(this.log, 'utf8').trimEnd().split('\n')
    } catch {
      return []
    }
  }

  sandboxIsDown(): boolean {
    const { sandbox } = this
    return sandbox !== undefined && (sandbox.exitCode !== null || sandbox.signalCode !== null)
  }

  async killSandbox(): Promise<void> {
    this.sandbox!.kill('SIGKILL')
    await once(this.sandbox!, 'exit')
  }

  /** Every connection of the program to its server, as a restart of the server would. */
  async cutDatabase(): Promise<boolean> {
    return (await this.project.endConnections()) > 0
  }

  /** `kill -9` of the embedded server, its keeper, or both; says whether there was one. */
  killTemporal(parts: readonly ('server' | 'keeper')[]): boolean {
    const record = this.serverRecord()
    return parts.map(part => record !== undefined && killed(record[part].pid)).includes(true)
  }

  private serverRecord(): ReturnType<typeof readServerRecord> {
    return readServerRecord(serverFolder(join(this.project.folder, 'tillage-data', 'temporal')))
  }

  async close(): Promise<void> {
    if (this.sandbox !== undefined && !this.sandboxIsDown()) await this.killSandbox()
    await waitFor(() => this.serverRecord() === undefined, 'the embedded server to be gone')
    await this.project.remove()
    await this.sandboxHere?.close()
  }
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
