import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { databaseFiles } from '../../disk.ts'
import { tryFileLock } from '../../file-lock.ts'
import { findFreePort } from './free-port.ts'
import { identifyProcess, identifySpace, isRunning } from './process-identity.ts'
import { KEEPER_ENDS } from './reach-keeper.ts'
import { serverArguments } from './server-arguments.ts'
import { readServerRecord, removeServerRecord, writeServerRecord } from './server-folder.ts'
import type { ServerFolder, ServerRecord } from './server-folder.ts'
import { boundLog, note, openLog } from './server-log.ts'
import { openUsers } from './users.ts'

/** A lock that somebody only tries is free again within this. */
const TRIED_WITHIN_MS = 1_000
/** A container that has just been ended takes a moment to let go, and so does a killed server. */
const LET_GO_MS = 5_000
const RETRY_MS = 50
const POLL_EVERY_MS = 1_000
/** A port that was lost comes back within this, or somebody else has it. */
const PORT_BACK_MS = 2_000
/** Where Temporal's documentation says that its web UI is. */
const USUAL_UI_PORT = 8233
/**
 * A server that dies sooner than this after its start would only die again; one that lived longer
 * was killed or ran out of memory.
 */
const WORTH_RESTARTING_MS = 2_000

export interface ServerOrder {
  /** The path of Temporal's CLI. */
  readonly cli: string
  readonly hasWebUi: boolean
}

/**
 * Keeps the folder's server: starts it as its child, starts it again on its port when it has died,
 * and ends it when the last user has gone, the folder is gone, or somebody says so. Whoever holds
 * the folder's lock is in charge; a second keeper ends at once. Answers how it ended.
 */
export async function keepServer(files: ServerFolder, order: ServerOrder): Promise<number> {
  const unlock = await within(TRIED_WITHIN_MS, () => tryFileLock(files.lock))
  if (unlock === undefined) return KEEPER_ENDS.done
  const lost = readServerRecord(files)
  if (lost !== undefined && !(await endOrphan(files, lost))) return KEEPER_ENDS.usedElsewhere
  removeServerRecord(files)
  const id = randomUUID()
  try {
    return await takeCharge(files, order, { id, lost })
  } finally {
    // Another keeper's, where the folder was removed and made again.
    if (isInCharge(files, id)) removeServerRecord(files)
    unlock()
  }
}

async function takeCharge(
  files: ServerFolder,
  { cli, hasWebUi }: ServerOrder,
  { id, lost }: { id: string; lost: ServerRecord | undefined },
): Promise<number> {
  const users = await openUsers(process.stdin, id)
  const facts = {
    id,
    keeperPort: users.port,
    keeper: identifyProcess(),
    space: identifySpace(),
    ...(hasWebUi || lost?.uiPort !== undefined
      ? { uiPort: await findFreePort(lost?.uiPort ?? USUAL_UI_PORT) }
      : {}),
  }
  return runServer({ files, cli, facts, allGone: users.allGone }, lost?.port)
}

const isInCharge = (files: ServerFolder, id: string): boolean => readServerRecord(files)?.id === id

/**
 * A server whose keeper was killed goes on by itself. It is known by its pid if it is of this
 * container; that nobody has its database any more is told by SQLite's own lock. False: somebody
 * has it.
 */
async function endOrphan(files: ServerFolder, { server, space }: ServerRecord): Promise<boolean> {
  if (space === identifySpace() && isRunning(server)) process.kill(server.pid, 'SIGKILL')
  return (await within(LET_GO_MS, () => !isDatabaseInUse(files.database) || undefined)) ?? false
}

interface Charge {
  readonly files: ServerFolder
  readonly cli: string
  /** What of its record does not change. */
  readonly facts: Omit<ServerRecord, 'address' | 'port' | 'server'>
  readonly allGone: Promise<void>
}

async function runServer(
  { files, cli, facts, allGone }: Charge,
  portBefore: number | undefined,
): Promise<number> {
  const stop = new AbortController()
  void allGone.then(() => stop.abort())
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => stop.abort())
  let port = portBefore
  for (;;) {
    port = await findFreePort(port, PORT_BACK_MS)
    prepareDatabase(files)
    note(files, `starting ${cli} on port ${port}`)
    const launchedAtMs = Date.now()
    const server = startServer(files, cli, serverArguments(port, facts.uiPort), stop.signal)
    const ended = describeEnd(server)
    if (server.pid !== undefined) {
      const address = `127.0.0.1:${port}`
      writeServerRecord(files, { ...facts, address, port, server: identifyProcess(server.pid) })
    }
    const polling = setInterval(() => {
      if (isInCharge(files, facts.id)) boundLog(files)
      else stop.abort()
    }, POLL_EVERY_MS)
    const how = await ended
    clearInterval(polling)
    if (stop.signal.aborted) return KEEPER_ENDS.done
    note(files, how)
    if (Date.now() - launchedAtMs < WORTH_RESTARTING_MS) return KEEPER_ENDS.serverBroken
  }
}

/**
 * A server that was killed while it made its tables never starts with them again. Nobody begins
 * anything before it has answered, so what it made until then is made anew.
 */
function prepareDatabase({ database, unanswered }: ServerFolder): void {
  if (existsSync(unanswered))
    for (const file of databaseFiles(database)) rmSync(file, { force: true })
  if (!existsSync(database)) writeFileSync(unanswered, '')
}

/** Linux ends what is started so as soon as its parent is gone, even where that was killed. */
const WITH_ITS_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'] as const

/** The same program, bound to this process where the system has what it takes. */
function boundToUs(program: string): [program: string, ...args: string[]] {
  const [setpriv, ...options] = WITH_ITS_PARENT
  const isThere =
    process.platform === 'linux' && spawnSync(setpriv, [...options, 'true']).status === 0
  return isThere ? [...WITH_ITS_PARENT, program] : [program]
}

/** Ended by force: its own orderly end waits a second, and every commit is in its database. */
function startServer(
  files: ServerFolder,
  cli: string,
  args: readonly string[],
  signal: AbortSignal,
): ChildProcess {
  const log = openLog(files)
  const [program, ...before] = boundToUs(cli)
  const server = spawn(program, [...before, ...args], {
    cwd: files.folder,
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', log.fd, log.fd],
    windowsHide: true,
  })
  log.close()
  // However this process ends, unless it is killed.
  process.once('exit', () => server.kill('SIGKILL'))
  return server
}

const describeEnd = (server: ChildProcess): Promise<string> =>
  new Promise(resolve => {
    server.once('exit', (status, signal) =>
      resolve(`the Temporal server ended with ${signal ?? `status ${status}`}`),
    )
    // It is also told so when it is stopped, before it has ended.
    server.on('error', error => {
      if (server.pid === undefined) resolve(`${server.spawnfile} cannot be run: ${error.message}`)
    })
  })

/** The first answer, asked for again and again; undefined when the time is over. */
async function within<T>(ms: number, ask: () => T | undefined): Promise<T | undefined> {
  const deadline = Date.now() + ms
  for (;;) {
    const answer = ask()
    if (answer !== undefined || Date.now() > deadline) return answer
    await delay(RETRY_MS)
  }
}

/**
 * Whether a process, in whichever container, has a server's database open: in WAL mode it shares a
 * lock for as long. A server that starts at this moment would fail, so only its keeper may ask.
 */
function isDatabaseInUse(path: string): boolean {
  let database: Database.Database | undefined
  try {
    database = new Database(path, { fileMustExist: true, timeout: 0 })
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    return false
  } catch (error) {
    // What is not there or damaged is for the server to say.
    return (error as { code?: unknown }).code === 'SQLITE_BUSY'
  } finally {
    database?.close()
  }
}
