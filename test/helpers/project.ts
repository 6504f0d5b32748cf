import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Dirent } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { streams } from '../../connectors/partner/streams/index.ts'
import { runProgram } from '../../program.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts'
import { useEmbeddedServer } from '../../temporal/server/embedded-server.ts'
import type { EmbeddedServer } from '../../temporal/server/embedded-server.ts'
import { embeddedFolder } from '../../temporal/server/server-folder.ts'
import { waitFor } from '../temporal/wait-for.ts'
import { ANY_PORT } from './any-port.ts'
import { changeServer, endConnectionsTo, postgresForTests } from './postgres.ts'
import { PROGRAM, builtScript } from './program.ts'
import { ownNamespace } from './temporal.ts'
import type { TemporalNamespace } from './temporal.ts'

export { waitFor } from '../temporal/wait-for.ts'

/** The kinds of databases that the program knows. */
export const DATABASES = ['SQLite', 'PostgreSQL'] as const
export type DatabaseName = (typeof DATABASES)[number]

export interface Outcome {
  status: number | null
  stdout: string
  stderr: string
}

/** Commands that run in this process share its working directory, so there is one at a time. */
let isBusy = false

/** In the working directory as it is: name all files. */
export async function runInProcess(
  args: readonly string[],
  signal = new AbortController().signal,
): Promise<Outcome> {
  const said = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof said) => ({
    write: (text: unknown) => {
      said[name] += String(text)
      return true
    },
  })
  const streams = { stdout: collect('stdout'), stderr: collect('stderr') }
  const status = await runProgram({ args, streams, signal })
  return { status, ...said }
}

/** Sets variables of this process; the returned function takes them back. */
function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map(name => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
}

/**
 * A user's folder with a tillage.yaml, and the program run in it as a user runs it: as a process of
 * its own.
 */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  readonly temporal: TemporalNamespace | 'embedded'
  /** For Node itself, before the program: a module to import first, say. */
  nodeArguments: readonly string[] = []
  environment: Readonly<Record<string, string>> = {}
  /** Of PostgreSQL; undefined: the file of SQLite that a project has by itself. */
  private address: string | undefined
  private readonly children = new Set<ChildProcess>()
  private server: EmbeddedServer | undefined

  constructor(temporal: TemporalNamespace | 'embedded' = 'embedded') {
    this.temporal = temporal
  }

  /** Before it is configured: a new schema, where it is to be on PostgreSQL. */
  async chooseDatabase(name: DatabaseName): Promise<void> {
    this.address = name === 'PostgreSQL' ? (await postgresForTests()).url : undefined
  }

  /** Before it is configured: as on another machine, with a folder of its own. */
  shareDatabaseOf(other: Project): void {
    this.address = other.address
  }

  /** Ends every connection to the project's database on PostgreSQL; answers how many. */
  async endConnections(): Promise<number> {
    return endConnectionsTo(this.address!)
  }

  configure(stores: readonly (object | string)[], rest: object = {}): void {
    const { temporal, address } = this
    const database = address === undefined ? {} : { database: address }
    const settings = { stores, temporal, console: ANY_PORT, ...database, ...rest }
    writeFileSync(join(this.folder, 'tillage.yaml'), JSON.stringify(settings))
  }

  start(...args: string[]): ChildProcess & { outcome: Promise<Outcome> } {
    const child = spawn(process.execPath, [...this.nodeArguments, PROGRAM, ...args], {
      cwd: this.folder,
      env: { ...process.env, ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.children.add(child)
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const outcome = once(child, 'close').then(([status]) => {
      this.children.delete(child)
      return { status: status as number | null, stdout, stderr }
    })
    return Object.assign(child, { outcome })
  }

  /**
   * Runs the program as `start` does, in this process where nothing speaks against it: a process
   * costs more than most commands do.
   */
  async run(...args: string[]): Promise<Outcome> {
    if (isBusy || !this.mayShareProcess(args)) return this.start(...args).outcome
    isBusy = true
    const [folder, umask] = [process.cwd(), process.umask(0o077)]
    const restore = setEnvironment(this.environment)
    process.chdir(this.folder)
    try {
      if (args.includes('sync')) await this.holdServer()
      return await runInProcess(args)
    } finally {
      process.chdir(folder)
      restore()
      process.umask(umask)
      isBusy = false
    }
  }

  /**
   * Runs a command that names no file in this process, beside others of other folders. The embedded
   * server comes and goes with it.
   */
  runBeside(args: readonly string[], signal?: AbortSignal): Promise<Outcome> {
    return runInProcess([...args, '--config', join(this.folder, 'tillage.yaml')], signal)
  }

  /** The embedded server stays up for the next command; to start and stop it takes two seconds. */
  private async holdServer(): Promise<void> {
    if (this.temporal !== 'embedded' || !existsSync(join(this.folder, 'tillage.yaml'))) return
    const folder = embeddedFolder(join(this.folder, 'tillage-data', 'tillage.db'))
    this.server ??= await useEmbeddedServer({ folder, progress: () => {} })
  }

  /** Some start children by the name of the program, some go on until they get a signal. */
  private mayShareProcess(args: readonly string[]): boolean {
    return (
      this.nodeArguments.length === 0 &&
      !args.some(arg => ['demo', 'sandbox', 'up', 'worker'].includes(arg))
    )
  }

  /**
   * Every row that a user can see, in order of its key; what a run leaves behind, whatever happened
   * on the way.
   */
  tables(): Record<string, unknown[]> {
    const names = streams.flatMap(stream => [stream.name, ...Object.keys(stream.children)])
    return this.queries({
      ...Object.fromEntries(names.map(name => [name, `SELECT * FROM ${name} ORDER BY 1, 2, 3`])),
      windows:
        'SELECT store_id, stream, window_start, window_end, status FROM windows ORDER BY 1, 2, 3',
      dead_letters:
        'SELECT store_id, stream, record_key, reason, raw FROM dead_letters ORDER BY 1, 2, 3',
    })
  }

  /** Statements that change what is stored, as somebody with the database open would. */
  async change(statements: readonly string[]): Promise<void> {
    if (this.address !== undefined) return changeServer(this.address, statements)
    const database = new Database(join(this.folder, 'tillage-data', 'tillage.db'))
    for (const statement of statements) database.exec(statement)
    database.close()
  }

  query(sql: string): unknown[] {
    return this.queries({ only: sql }).only
  }

  /** Many in one go: a connection reads the whole schema first, which takes longer than they do. */
  queries<Name extends string>(all: Readonly<Record<Name, string>>): Record<Name, unknown[]> {
    if (this.address !== undefined) return queryServer(this.address, all)
    const database = new Database(join(this.folder, 'tillage-data', 'tillage.db'), {
      readonly: true,
    })
    try {
      const answers = Object.entries<string>(all).map(([name, sql]) => [
        name,
        database.prepare(sql).raw().all(),
      ])
      return Object.fromEntries(answers) as Record<Name, unknown[]>
    } finally {
      database.close()
    }
  }

  /** Every file below the folder. */
  files(folder = this.folder): string[] {
    return entriesOf(folder).flatMap(entry =>
      entry.isDirectory() ? this.files(join(folder, entry.name)) : [join(folder, entry.name)],
    )
  }

  read(path: string): Buffer {
    return statSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0)
  }

  /** What is still up is killed; answers when it is gone. */
  async endChildren(): Promise<void> {
    const children = [...this.children]
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(child => once(child, 'close')))
  }

  async remove(): Promise<void> {
    await this.endChildren()
    await this.server?.release()
    // The keeper of the embedded server sees that its users are gone, and takes its files away with
    // it.
    const servers = this.files().filter(file => file.endsWith('server.json'))
    await waitFor(() => !servers.some(file => existsSync(file)), 'the embedded server to stop')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** None of a folder that is gone: a server takes its own away while somebody looks. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function queryServer<Name extends string>(
  address: string,
  all: Readonly<Record<Name, string>>,
): Record<Name, unknown[]> {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [builtScript('query-postgres'), address],
    {
      input: JSON.stringify(all),
      encoding: 'utf8',
      maxBuffer: 1e9,
    },
  )
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Record<Name, unknown[]>
}

export type Worker = ReturnType<Project['start']>

/** Answers once it is up; fails with what it said where it ends instead. */
export async function startWorker(project: Project, ...options: string[]): Promise<Worker> {
  const worker = project.start('worker', ...options)
  let said = ''
  let ended: Outcome | undefined
  worker.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  void worker.outcome.then(outcome => (ended = outcome))
  await waitFor(() => {
    if (ended !== undefined) throw new Error(`a worker did not start: ${ended.stderr}`)
    return said.includes('worker is up')
  }, 'a worker')
  return worker
}

interface ProjectOptions {
  embedded?: boolean
  database?: DatabaseName
}

const NEVER = { every: 'never' }
/** Nothing starts, and nothing is missed, by the clock of the machine that tests run on. */
export const NOTHING_SCHEDULED = { nightly: NEVER, sweep: NEVER, check: NEVER, audit: NEVER }

/**
 * A sandbox with little data, and a project that is configured for it. `embedded`: with a Temporal
 * server of its own, as users have it, and not with a namespace of the one that tests share.
 */
export async function startProject(
  options: SandboxOptions = {},
  { embedded: isEmbedded = false, database = 'SQLite' }: ProjectOptions = {},
): Promise<{ sandbox: Sandbox; project: Project; close(): Promise<void> }> {
  const sandbox = await startSandbox({
    days: 12,
    until: '2026-03-15',
    transactionsPerDay: 40,
    ...options,
  })
  const project = new Project(isEmbedded ? 'embedded' : await ownNamespace())
  await project.chooseDatabase(database)
  project.configure(storesOf(sandbox))
  return {
    sandbox,
    project,
    async close() {
      await project.remove()
      await sandbox.close()
    },
  }
}

export const storesOf = (sandbox: Sandbox): object[] =>
  sandbox.stores.map(({ id, developerKey }) => ({
    id,
    baseUrl: sandbox.baseUrl,
    partnerKey: sandbox.partnerKey,
    developerKey,
  }))

/**
 * The streams that nothing works without; the others are short lists, which cost a test more than
 * they tell.
 */
export const CORE = streams
  .filter(({ optional, parent }) => optional !== true && parent === undefined)
  .map(({ name }) => name)

/** The range that the sandbox's data fills; spring's DST change is in it. */
export const RANGE = ['--from', '2026-03-03', '--to', '2026-03-15'] as const

export async function control(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await fetch(`${sandbox.baseUrl}/_control/${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the sandbox refused ${method} ${path}: ${text}`)
  if (answer.headers.get('content-type')?.includes('ndjson') === true)
    return text
      .split('\n')
      .filter(line => line.trim() !== '')
      .map(line => JSON.parse(line) as unknown)
  return text === '' ? undefined : JSON.parse(text)
}
