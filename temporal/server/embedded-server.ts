import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { codeOf, diskError, makeFolder } from '../../disk.ts'
import { isFileLocked } from '../../file-lock.ts'
import { joinServer, NOT_STARTED } from './join-server.ts'
import type { JoinOptions, Use } from './join-server.ts'
import { leaveKeeper } from './reach-keeper.ts'
import { readServerRecord, serverFolder } from './server-folder.ts'
import type { ServerFolder } from './server-folder.ts'

/*
 * Who owns a folder's Temporal server.
 *
 * Who starts it: its keeper, a small process (`keeper.ts`) whose child it is. The first command
 * that needs the server starts the keeper; the lock of the folder lets one keeper be in charge.
 * Who uses it: whoever holds a connection to the keeper (`users.ts`).
 * Who ends it: the keeper, when the last connection has gone, or the folder.
 * If a user is killed, the system closes its connection. If the server is killed, its keeper starts
 * it again. If the keeper is killed, Linux ends the server with it, and its users see their
 * connections break and start another one, which starts its own server on the same port. Where no
 * system ends it, the server goes on by itself until the next keeper of the folder ends it.
 */

const RETRY_MS = 2_000

export interface UseEmbeddedServerOptions extends JoinOptions {
  /** The data folder. One server for each, shared by every command that uses it at the time. */
  readonly folder: string
}

export interface EmbeddedServer {
  readonly address: string
  /** Of Temporal's web UI, where there is one. */
  readonly webUi: string | undefined
  /**
   * Gives the server back. The last user waits here until it has stopped, so that a command leaves
   * nothing running behind.
   */
  readonly release: () => Promise<void>
}

/**
 * A Temporal server for this folder: the running one, or a new one on the folder's database. Until
 * it is released it is started again whenever it is gone, on the same port.
 */
export async function useEmbeddedServer({
  folder,
  ...options
}: UseEmbeddedServerOptions): Promise<EmbeddedServer> {
  const files = serverFolder(resolve(folder))
  makeFolder(files.folder)
  const first = await join(files, options)
  const { address, uiPort } = first.record
  const released = new AbortController()
  const using = useUntil(released.signal, first, { files, options })
  return {
    address,
    webUi: uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`,
    release() {
      released.abort()
      return using
    },
  }
}

async function join(files: ServerFolder, options: JoinOptions): Promise<Use> {
  try {
    return await joinServer(files, options)
  } catch (error) {
    throw diskError(files.folder, codeOf(error), { kept: NOT_STARTED, cause: error }) ?? error
  }
}

async function useUntil(
  released: AbortSignal,
  first: Use,
  { files, options }: { files: ServerFolder; options: JoinOptions },
): Promise<void> {
  const isReleased = new Promise<void>(done => released.addEventListener('abort', () => done()))
  let use = first
  for (;;) {
    await Promise.race([isReleased, use.lost])
    if (released.aborted) {
      await leaveKeeper(use.connection)
      if (!isLeftAlone(files)) return
    }
    const again = await joinAgain(released, files, options)
    if (again === undefined) return
    use = again
  }
}

/** Its keeper was killed, and nobody has started the one that will end it. */
const isLeftAlone = (files: ServerFolder): boolean =>
  readServerRecord(files) !== undefined && !isFileLocked(files.lock)

/** Tries until it has a server; undefined if that is not wanted any more. */
async function joinAgain(
  released: AbortSignal,
  files: ServerFolder,
  options: JoinOptions,
): Promise<Use | undefined> {
  options.progress("Temporal's server is gone; starting it again")
  let said = ''
  for (;;) {
    try {
      return await join(files, options)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (why !== said) options.progress(why)
      said = why
    }
    await delay(RETRY_MS, undefined, { signal: released }).catch(() => {})
    if (released.aborted) return undefined
  }
}
