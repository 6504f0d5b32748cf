import { resolve } from 'node:path'
import { askDisk, codeOf, diskError, makeFolder } from '../../disk.ts'
import { TemporalError } from '../../errors.ts'
import { findTemporalCli } from '../cli/find-cli.ts'
import { withFileLock } from '../file-lock.ts'
import { awaitDatabase } from './await-database.ts'
import { awaitServer } from './await-server.ts'
import type { AwaitedServer } from './await-server.ts'
import { launchServer } from './launch-server.ts'
import type { ServerOrder } from './launch-server.ts'
import { isRunning } from './process-identity.ts'
import { readServerRecord, removeServerRecord, serverFolder } from './server-folder.ts'
import type { ServerFolder, ServerRecord } from './server-folder.ts'
import { boundLog, readLogTail } from './server-log.ts'
import { startKeeper } from './start-keeper.ts'
import { endServer, stopProcess } from './stop-process.ts'
import { addUser, countUsers, removeUser } from './users.ts'

/** A busy machine takes its time; a server that has ended is noticed at once. */
const START_TIMEOUT_MS = 120_000
/** A server that does not answer for so long is ended, although other commands may use it. */
const JOIN_TIMEOUT_MS = 60_000

export interface UseEmbeddedServerOptions {
  /** The data folder. One server for each, shared by every command that uses it at the time. */
  readonly folder: string
  readonly progress: (line: string) => void
  /** Where to look for the CLI. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** A server that is started here gets Temporal's web UI; a running one stays as it is. */
  readonly webUi?: boolean
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
 * A Temporal server for this folder: the running one, or a new one on the folder's database. It is
 * stopped when its last user has released it or died. Lost with `kill -9`, it or its keeper, it is
 * replaced on the same port and database by the next user.
 */
export async function useEmbeddedServer(
  options: UseEmbeddedServerOptions,
): Promise<EmbeddedServer> {
  const files = serverFolder(resolve(options.folder))
  makeFolder(files.folder)
  const waiting = () =>
    options.progress(
      'another command is starting or stopping the Temporal server of this folder; waiting for it',
    )
  return withFileLock(files.lock, waiting, async () => {
    // First of all: from here on the keeper sees a user and does not stop.
    const user = addUser(files)
    try {
      const record = (await joinServer(files)) ?? (await startServer(files, options))
      let released: Promise<void> | undefined
      return {
        address: record.address,
        webUi: record.uiPort === undefined ? undefined : `http://127.0.0.1:${record.uiPort}`,
        release: () => (released ??= releaseServer(files, user, record, waiting)),
      }
    } catch (error) {
      removeUser(files, user)
      throw diskError(files.folder, codeOf(error), { kept: NOT_STARTED, cause: error }) ?? error
    }
  })
}

const NOT_STARTED = "Temporal's server cannot start there"

async function joinServer(files: ServerFolder): Promise<ServerRecord | undefined> {
  const record = readServerRecord(files)
  if (record === undefined || !isRunning(record.keeper)) return undefined
  const awaited = await awaitServer(files, JOIN_TIMEOUT_MS, () => !isRunning(record.keeper))
  return 'record' in awaited ? awaited.record : undefined
}

async function startServer(
  files: ServerFolder,
  { progress, env = process.env, webUi = false }: UseEmbeddedServerOptions,
): Promise<ServerRecord> {
  const cli = await findTemporalCli({ progress, env })
  await endStuck(readServerRecord(files))
  await awaitDatabase(files)

  const order = { cli, hasWebUi: webUi, env: serverEnvironment(env) }
  let awaited = await launchAndAwait(files, order)
  // Once more for what lasts a moment: a port that was taken between the choice and the start.
  if (!('record' in awaited) && awaited.ended) awaited = await launchAndAwait(files, order)
  if ('record' in awaited) return awaited.record
  const disk = diskError(files.folder, askDisk(files.database) ?? '', {
    kept: NOT_STARTED,
  })
  if (disk !== undefined) throw disk
  const failed =
    `the embedded Temporal server (${cli}) was started, but ${awaited.problem}. ` +
    `The last lines of ${files.log}:`
  throw new TemporalError('TEMPORAL_UNREACHABLE', `${failed}\n${readLogTail(files)}`, {
    remedy:
      `end whatever else uses ${files.database} and try again; ` +
      'if that file itself is damaged, move it away: ' +
      'it holds workflow histories, no records of the stores',
  })
}

/** A keeper whose server does not answer, or the server that a dead one left behind. */
async function endStuck(record: ServerRecord | undefined): Promise<void> {
  if (record === undefined) return
  await stopProcess(record.keeper)
  if (record.server !== undefined) await endServer(record.server)
}

async function launchAndAwait(files: ServerFolder, order: ServerOrder): Promise<AwaitedServer> {
  boundLog(files)
  const { record, hasEnded } = await launchServer(files, order)
  const keeper = startKeeper(files, record, order.cli, order.env)
  const isGone = (): boolean => hasEnded() || keeper === undefined || !isRunning(keeper)
  const awaited = await awaitServer(files, START_TIMEOUT_MS, isGone)
  if (!('record' in awaited)) await clearAway(files, readServerRecord(files) ?? record)
  return awaited
}

/** Ends a keeper and its server. */
async function clearAway(files: ServerFolder, { keeper, server }: ServerRecord): Promise<void> {
  // This process is named between the start of a server and that of its keeper.
  if (keeper.pid !== process.pid) await stopProcess(keeper)
  if (server !== undefined) await endServer(server)
  removeServerRecord(files)
}

/**
 * The last user ends the server under the lock that users register under: nobody joins meanwhile.
 */
async function releaseServer(
  files: ServerFolder,
  user: string,
  used: ServerRecord,
  waiting: () => void,
): Promise<void> {
  removeUser(files, user)
  if (countUsers(files) > 0) return
  await withFileLock(files.lock, waiting, async () => {
    if (countUsers(files) === 0) await clearAway(files, readServerRecord(files) ?? used)
  })
}

/**
 * Neither our keys nor the user's Temporal settings are any business of the server's; and it is not
 * to ask the internet for newer versions.
 */
function serverEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = [
    'PATH',
    'HOME',
    'USERPROFILE',
    'APPDATA',
    'LOCALAPPDATA',
    'TMPDIR',
    'TEMP',
    'TMP',
    'SystemRoot',
    'LANG',
    'NODE_COMPILE_CACHE',
  ]
  const values = kept.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))
  return { ...Object.fromEntries(values), TZ: 'UTC', TEMPORAL_VERSION_CHECK_DISABLED: '1' }
}
