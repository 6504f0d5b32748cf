import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { identifySpace } from './process-identity.ts'
import { readServerRecord } from './server-folder.ts'
import type { ServerFolder } from './server-folder.ts'
import { note, openLog } from './server-log.ts'

const GREETING_MS = 10_000
/** A keeper that is told to end has no more to do than to end its child. */
const LAST_WAIT_MS = 30_000

/** A connection to the keeper that is recorded; undefined where that one does not answer. */
export function reachKeeper(files: ServerFolder): Promise<Socket | undefined> {
  const record = readServerRecord(files)
  // Another container's loopback is another one.
  if (record === undefined || record.space !== identifySpace()) return Promise.resolve(undefined)
  const connection = connect({ host: '127.0.0.1', port: record.keeperPort, timeout: GREETING_MS })
  return new Promise(resolve => {
    connection.once('data', greeting => {
      connection.setTimeout(0).resume()
      // It has no part in whether this process goes on.
      if (greeting.toString().trim() === record.id) resolve(connection.unref())
      else connection.destroy()
    })
    connection.once('timeout', () => connection.destroy())
    connection.on('error', () => {}).once('close', () => resolve(undefined))
  })
}

/** Ends a use; the last one waits until keeper and server have ended. */
export function leaveKeeper(connection: Socket): Promise<void> {
  return new Promise(resolve => {
    if (connection.closed) return resolve()
    connection.once('close', () => resolve()).ref()
    connection.setTimeout(LAST_WAIT_MS, () => connection.destroy()).end()
  })
}

/** A keeper that this process has started. */
export interface StartedKeeper {
  /** Null while it lives; undefined if it was killed, or could not be started. */
  status: number | null | undefined
  /** This process has connected to a keeper, or has given up. */
  letGo(): void
}

export function startKeeper(
  files: ServerFolder,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): StartedKeeper {
  // Its extension is ours: .ts in a clone, .js in an installed package.
  const file = fileURLToPath(new URL(`./keeper${extname(import.meta.url)}`, import.meta.url))
  const log = openLog(files)
  const child = spawn(process.execPath, [file, files.folder, ...args], {
    cwd: files.folder,
    // Ctrl-C in a terminal is for the command alone.
    detached: true,
    env,
    stdio: ['pipe', log.fd, log.fd],
    windowsHide: true,
  })
  log.close()
  child.unref()
  child.stdin!.on('error', () => {})
  const keeper: StartedKeeper = { status: null, letGo: () => child.stdin!.end() }
  child.once('exit', status => (keeper.status = status ?? undefined))
  child.once('error', error => {
    note(files, `no keeper could be started: ${String(error)}`)
    keeper.status = undefined
  })
  return keeper
}

/** How a keeper ends, as the exit status of its process. */
export const KEEPER_ENDS = {
  /** Nobody uses the server any more, or another keeper is in charge. */
  done: 0,
  serverBroken: 1,
  /** A server that is not of this machine or container has the database. */
  usedElsewhere: 3,
} as const
