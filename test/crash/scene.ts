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
import { DATABASES, Project, startWorker, storesOf, waitFor } from '../helpers/project.ts'
import type { Outcome, Worker } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'
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

/** One machine with either database, or several that share one on PostgreSQL. */
export const SETTINGS = [...DATABASES, 'cluster'] as const
export type Setting = (typeof SETTINGS)[number]

interface SceneOptions {
  killsSandbox: boolean
  setting: Setting
}

/** What a user started, and the process to which the trouble happens. */
export interface Running {
  run: Worker
  victim: Worker
}

type Facts = Pick<Sandbox, 'baseUrl' | 'partnerKey' | 'stores'>

/**
 * A sandbox and a project for it, each a process that can be killed without a word. A sandbox that
 * nobody kills is part of this process, which costs a second less.
 */
export class Scene {
  readonly project: Project
  readonly setting: Setting
  private readonly log: string
  /** Machines that work beside the one at which the command is typed; none on one machine. */
  private readonly workers: readonly Project[]
  private sandbox: ChildProcess | undefined
  private sandboxHere: Sandbox | undefined
  private facts: Facts | undefined

  private constructor(setting: Setting, [project, ...workers]: [Project, ...Project[]]) {
    this.setting = setting
    this.project = project
    this.workers = workers
    this.log = join(project.folder, 'commits.log')
  }

  static async open({ killsSandbox, setting }: SceneOptions): Promise<Scene> {
    const scene = new Scene(setting, await projectsOf(setting))
    if (killsSandbox) await scene.startSandbox()
    else scene.facts = scene.sandboxHere = await startSandbox(DATA)
    for (const one of [scene.project, ...scene.workers])
      one.configure(storesOf(scene.facts as Sandbox))
    scene.victim.nodeArguments = ['--import', PRELOAD]
    scene.order({})
    return scene
  }

  private get victim(): Project {
    return this.workers[0] ?? this.project
  }

  /** What the next start of the program to which the trouble happens does at a commit. */
  order(order: Omit<CrashOrder, 'log'>): void {
    this.victim.environment = { TILLAGE_CRASH: JSON.stringify({ log: this.log, ...order }) }
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

  /** As processes of their own, which can be killed. */
  async sync(): Promise<Running> {
    const [first, ...others] = this.workers
    // It may die on its way up.
    const victim = first?.start('worker')
    await Promise.all(others.map(one => startWorker(one)))
    const run = this.project.start('sync', ...STREAMS, ...DAYS)
    return { run, victim: victim ?? run }
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
  async outcomeOf(run: Worker): Promise<Outcome | undefined> {
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
    for (const one of [...this.workers, this.project]) await one.remove()
    await this.sandboxHere?.close()
  }
}

async function projectsOf(setting: Setting): Promise<[Project, ...Project[]]> {
  if (setting === 'cluster') {
    const temporal = await ownNamespace()
    const [office, ...workers] = [
      new Project(temporal),
      new Project(temporal),
      new Project(temporal),
    ]
    await office.chooseDatabase('PostgreSQL')
    for (const worker of workers) worker.shareDatabaseOf(office)
    return [office, ...workers]
  }
  const project = new Project()
  await project.chooseDatabase(setting)
  return [project]
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
