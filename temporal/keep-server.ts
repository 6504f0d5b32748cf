import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { tryFileLock } from './file-lock.ts'
import { findFreePort } from './free-port.ts'
import { identifyProcess, isRunning } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { serverArguments } from './server-arguments.ts'
import {
  readServerRecord,
  removeServerRecord,
  serverFolder,
  writeServerRecord,
} from './server-folder.ts'
import type { ServerFolder } from './server-folder.ts'
import { boundLog } from './server-log.ts'
import { endServer } from './stop-process.ts'
import { countUsers } from './users.ts'

const POLL_MS = 250
const TAKE_CHARGE_TIMEOUT_MS = 20_000
/**
 * A server that dies sooner than this after its start would only die again; one that lived longer
 * was killed or ran out of memory.
 */
const WORTH_RESTARTING_MS = 2_000

/** A port that was lost comes back within this, or somebody else has it. */
const PORT_BACK_MS = 2_000
/** Where Temporal's documentation says that its web UI is. */
const USUAL_UI_PORT = 8233

interface KeepServerOptions {
  readonly folder: string
  readonly cli: string
  readonly hasWebUi: boolean
}

interface ServerOrder {
  readonly cli: string
  readonly port: number
  readonly uiPort: number | undefined
}

interface RunningServer {
  readonly identity: ProcessIdentity
  readonly startedAtMs: number
  readonly exited: Promise<void>
  hasExited: boolean
}

/**
 * Runs the folder's server until its last user is gone, then stops it and returns. Returns without
 * one if another keeper is in charge of the folder: that is a lock which dies with its holder, so
 * two servers never share a database.
 */
export async function keepServer({ folder, cli, hasWebUi }: KeepServerOptions): Promise<void> {
  const files = serverFolder(folder)
  const unlock = await takeCharge(files)
  if (unlock === undefined) return note('another keeper is in charge of this folder')
  const asked = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => asked.abort())
  try {
    // Left behind by a keeper that was killed. Its port again, if possible: its users find the new
    // server by themselves.
    const lost = readServerRecord(files)
    if (lost?.server !== undefined) await endServer(lost.server)
    const port = await findFreePort(lost?.port, PORT_BACK_MS)
    const uiPort = hasWebUi ? await findFreePort(lost?.uiPort ?? USUAL_UI_PORT) : undefined
    await keepUntilUnused(files, { cli, port, uiPort }, asked.signal)
  } finally {
    removeServerRecord(files)
    unlock()
  }
}

/** Waits for a keeper that is on its way out, not for one that has a record and is at work. */
async function takeCharge(files: ServerFolder): Promise<(() => void) | undefined> {
  const deadline = Date.now() + TAKE_CHARGE_TIMEOUT_MS
  while (Date.now() < deadline) {
    const unlock = tryFileLock(files.keeperLock)
    if (unlock !== undefined) return unlock
    const record = readServerRecord(files)
    if (record !== undefined && isRunning(record.keeper)) return undefined
    await delay(50)
  }
  return undefined
}

async function keepUntilUnused(
  files: ServerFolder,
  order: ServerOrder,
  asked: AbortSignal,
): Promise<void> {
  let server = startServer(files, order)
  try {
    for (;;) {
      await Promise.race([server.exited, pause(POLL_MS, asked)])
      boundLog(files)
      if (asked.aborted || (await stopIfUnused(files, server))) return
      if (!server.hasExited) continue
      if (Date.now() - server.startedAtMs < WORTH_RESTARTING_MS)
        return note('the Temporal server ended right after its start')
      note('the Temporal server ended by itself and is started again')
      server = startServer(files, order)
    }
  } finally {
    await endServer(server.identity)
  }
}

/** Ends early, and without a complaint, when the signal comes. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => {})

function startServer(files: ServerFolder, { cli, port, uiPort }: ServerOrder): RunningServer {
  note(`starting ${cli} on port ${port}`)
  const ui = uiPort === undefined ? {} : { uiPort }
  const record = { address: `127.0.0.1:${port}`, port, ...ui, keeper: identifyProcess() }
  // Written before and after: killed in between, the next user still knows who was in charge here.
  writeServerRecord(files, record)
  const child = spawn(cli, serverArguments(port, uiPort), {
    cwd: files.folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    windowsHide: true,
  })
  const exited = once(child, 'exit').then(
    ([status, signal]) => note(`the Temporal server ended with ${signal ?? `status ${status}`}`),
    (error: unknown) => note(`${cli} cannot be run: ${String(error)}`),
  )
  // Without a pid it never ran, and there is nothing to stop: this pid is beyond what any system
  // gives out.
  const identity = child.pid === undefined ? { pid: 2 ** 31 - 1 } : identifyProcess(child.pid)
  if (child.pid !== undefined) writeServerRecord(files, { ...record, server: identity })
  const server: RunningServer = { identity, startedAtMs: Date.now(), exited, hasExited: false }
  void exited.then(() => (server.hasExited = true))
  return server
}

/**
 * Under the lock that users register under, so that nobody can join a server that is being stopped.
 */
async function stopIfUnused(files: ServerFolder, server: RunningServer): Promise<boolean> {
  if (countUsers(files) > 0) return false
  const unlock = tryFileLock(files.lock)
  if (unlock === undefined) return false
  try {
    if (countUsers(files) > 0) return false
    await endServer(server.identity)
    removeServerRecord(files)
    return true
  } finally {
    unlock()
  }
}

/** Its error output is the folder's log. */
function note(line: string): void {
  console.error(`${new Date().toISOString()} keeper ${process.pid}: ${line}`)
}
