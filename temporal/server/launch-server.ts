import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findFreePort } from './free-port.ts'
import { identifyProcess } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { serverArguments } from './server-arguments.ts'
import { readServerRecord, writeServerRecord } from './server-folder.ts'
import type { ServerFolder, ServerRecord } from './server-folder.ts'
import { note, openLog } from './server-log.ts'
import { endServer } from './stop-process.ts'

/** A port that was lost comes back within this, or somebody else has it. */
const PORT_BACK_MS = 2_000
/** Where Temporal's documentation says that its web UI is. */
const USUAL_UI_PORT = 8233
/** Beyond what any system gives out. */
const NO_PROCESS: ProcessIdentity = { pid: 2 ** 31 - 1 }

export interface ServerOrder {
  /** The path of Temporal's CLI. */
  readonly cli: string
  readonly hasWebUi: boolean
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv
}

export interface LaunchedServer {
  readonly record: ServerRecord & { server: ProcessIdentity }
  readonly hasEnded: () => boolean
}

/**
 * Starts the folder's server, which outlives this process, and records it with this process as its
 * keeper. A server that is recorded is ended first; the new one gets its ports if they are free, so
 * that its users find it by themselves. For the keeper that is recorded, or under the folder's lock
 * where there is none.
 */
export async function launchServer(
  files: ServerFolder,
  { cli, hasWebUi, env }: ServerOrder,
): Promise<LaunchedServer> {
  const lost = readServerRecord(files)
  if (lost?.server !== undefined) await endServer(lost.server)
  const port = await findFreePort(lost?.port, PORT_BACK_MS)
  const uiPort = hasWebUi ? await findFreePort(lost?.uiPort ?? USUAL_UI_PORT) : undefined
  note(files, `starting ${cli} on port ${port}`)
  const launched = {
    address: `127.0.0.1:${port}`,
    port,
    ...(uiPort === undefined ? {} : { uiPort }),
    launchedAtMs: Date.now(),
    keeper: identifyProcess(),
  }
  // Written before and after: killed in between, the next user still knows who was in charge here.
  writeServerRecord(files, launched)
  const args = serverArguments(port, uiPort)
  const { server, hasEnded } = spawnServer(files, cli, args, env)
  const record = { ...launched, server }
  writeServerRecord(files, record)
  return { record, hasEnded }
}

function spawnServer(
  files: ServerFolder,
  cli: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv | undefined,
): { server: ProcessIdentity; hasEnded: () => boolean } {
  const log = openLog(files)
  const child = spawn(cli, args, {
    cwd: files.folder,
    // Ctrl-C in a terminal is for the command alone.
    detached: true,
    env,
    stdio: ['ignore', log.fd, log.fd],
    windowsHide: true,
  })
  log.close()
  child.unref()
  let ended = false
  void once(child, 'exit')
    .then(
      ([status, signal]) => `the Temporal server ended with ${signal ?? `status ${status}`}`,
      (error: unknown) => `${cli} cannot be run: ${String(error)}`,
    )
    .then(line => {
      ended = true
      note(files, line)
    })
  const server = child.pid === undefined ? NO_PROCESS : identifyProcess(child.pid)
  return { server, hasEnded: () => ended }
}
