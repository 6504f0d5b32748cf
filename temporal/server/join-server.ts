import { accessSync, constants, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { askDisk, diskError } from '../../disk.ts'
import { DatabaseError, TemporalError } from '../../errors.ts'
import { isFileLocked } from '../../file-lock.ts'
import { findTemporalCli } from '../cli/find-cli.ts'
import { checkNamespace } from '../open-connection.ts'
import { findPortProblem } from '../probe-address.ts'
import { EMBEDDED_NAMESPACE } from '../settings.ts'
import { identifySpace } from './process-identity.ts'
import { KEEPER_ENDS, reachKeeper, startKeeper } from './reach-keeper.ts'
import type { StartedKeeper } from './reach-keeper.ts'
import { readServerRecord } from './server-folder.ts'
import type { ServerFolder, ServerRecord } from './server-folder.ts'
import { readLogTail } from './server-log.ts'

const POLL_EVERY_MS = 25
/** A busy machine takes its time; a server that has ended is noticed at once. */
const ANSWER_TIMEOUT_MS = 120_000
/** So long may a keeper be in charge and not be reached: it is starting, or ending. */
const REACH_TIMEOUT_MS = 60_000
/** The same for one of another container, which is never reached. */
const ELSEWHERE_MS = 10_000
const SAID_AFTER_MS = 1_000
const SAID_AGAIN_MS = 15_000
/** Once more for what lasts a moment: a port that was taken between the choice and the start. */
const MOST_FAILURES = 2

export const NOT_STARTED = "Temporal's server cannot start there"

export interface JoinOptions {
  readonly progress: (line: string) => void
  /** Where to look for the CLI. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** A server that is started here gets Temporal's web UI; a running one stays as it is. */
  readonly webUi?: boolean
}

/** A use of a server that answers: it lasts as long as the connection to its keeper. */
export interface Use {
  readonly record: ServerRecord
  readonly connection: Socket
  readonly lost: Promise<void>
}

/** Joins the users of the folder's server; starts a keeper for it where there is none. */
export async function joinServer(files: ServerFolder, options: JoinOptions): Promise<Use> {
  const waiting = waitingForKeeper(files, options.progress)
  const own = ownKeeper(files, options)
  try {
    for (;;) {
      const connection = await reachKeeper(files)
      if (connection !== undefined) {
        const use = await useServer(files, connection)
        if (use !== undefined) return use
      } else if (own.isRunning() || isFileLocked(files.lock)) await waiting()
      else await own.start()
    }
  } finally {
    own.letGo()
  }
}

/** The keeper that this process starts; another one where that has ended. */
function ownKeeper(files: ServerFolder, { progress, env = process.env, webUi }: JoinOptions) {
  let keeper: StartedKeeper | undefined
  let failures = 0
  return {
    isRunning: () => keeper?.status === null,
    letGo: () => keeper?.letGo(),
    async start(): Promise<void> {
      if (keeper?.status === KEEPER_ENDS.usedElsewhere) throw usedElsewhere(files)
      // One that found another in charge has not failed.
      if (keeper !== undefined && keeper.status !== KEEPER_ENDS.done) failures += 1
      if (failures === MOST_FAILURES) throw notStarted(files, 'it ended before it answered')
      // Whoever may not write there may use a server that is up, and cannot start one.
      accessSync(files.folder, constants.W_OK)
      const cli = await findTemporalCli({ progress, env })
      keeper = startKeeper(files, webUi === true ? [cli, 'ui'] : [cli], serverEnvironment(env))
    },
  }
}

/** Undefined: the keeper has ended meanwhile. */
async function useServer(files: ServerFolder, connection: Socket): Promise<Use | undefined> {
  const awaited = await awaitServer(files, ANSWER_TIMEOUT_MS, () => connection.destroyed)
  if ('record' in awaited) {
    // From here on its database is worth keeping.
    rmSync(files.unanswered, { force: true })
    const lost = new Promise<void>(resolve => {
      if (connection.closed) resolve()
      connection.once('close', () => resolve())
    })
    return { record: awaited.record, connection, lost }
  }
  connection.destroy()
  if (!awaited.ended) throw notStarted(files, awaited.problem)
  return undefined
}

/** Waits a moment for a keeper that is starting or ending; says so, and has an end. */
function waitingForKeeper(files: ServerFolder, progress: (line: string) => void) {
  let waitedMs = 0
  let saidMs = SAID_AFTER_MS - SAID_AGAIN_MS
  return async (): Promise<void> => {
    await delay(POLL_EVERY_MS)
    waitedMs += POLL_EVERY_MS
    const record = readServerRecord(files)
    const isElsewhere = record !== undefined && record.space !== identifySpace()
    if (isElsewhere && waitedMs > ELSEWHERE_MS) throw usedElsewhere(files)
    if (waitedMs > REACH_TIMEOUT_MS) throw notReached(files, record)
    if (waitedMs - saidMs < SAID_AGAIN_MS) return
    saidMs = waitedMs
    progress(
      'another command is starting or stopping the Temporal server of this folder; waiting for it',
    )
  }
}

function notStarted(files: ServerFolder, problem: string): Error {
  const disk = diskError(files.folder, askDisk(files.database) ?? '', { kept: NOT_STARTED })
  if (disk !== undefined) return disk
  const failed = `the embedded Temporal server was started, but ${problem}. The last lines of ${files.log}:`
  return new TemporalError('TEMPORAL_UNREACHABLE', `${failed}\n${readLogTail(files)}`, {
    remedy:
      `end whatever else uses ${files.database} and try again; ` +
      'if that file itself is damaged, move it away: ' +
      'it holds workflow histories, no records of the stores',
  })
}

const notReached = ({ folder }: ServerFolder, record: ServerRecord | undefined): TemporalError =>
  new TemporalError(
    'TEMPORAL_UNREACHABLE',
    `a process keeps the Temporal server of ${folder}, and does not answer`,
    {
      remedy:
        record === undefined
          ? 'End the other tillage processes that use this folder, and try again.'
          : `End process ${record.keeper.pid} (node ... keeper), and try again.`,
    },
  )

const usedElsewhere = ({ folder, database }: ServerFolder): DatabaseError =>
  new DatabaseError(
    'DATABASE_BUSY',
    `another Temporal server works on ${database}, and not one of this machine or container: ` +
      "two of them would break each other's workflows, so none was started",
    {
      remedy:
        `End the other container or machine that uses ${folder}, or give this one a database ` +
        'in a folder of its own. Several workers share a Temporal server that runs by itself: ' +
        'temporal: { address } in tillage.yaml.',
    },
  )

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

const PROBE_MS = 25
/**
 * Short: a channel to a server that dies meanwhile fails only when this time is over, and a new
 * attempt finds the next server.
 */
const ANSWER_MS = 2_000
/**
 * A step that took longer was no waiting: this process had other work to do, a check of the whole
 * database for one, or the machine was asleep.
 */
const LONGEST_STEP_MS = 5_000

/** The record of a server that answers for its namespace; or why there is none. */
type AwaitedServer =
  | { readonly record: ServerRecord }
  | { readonly problem: string; readonly ended: boolean }

/** Waits until the folder's server answers, for as long as there is a keeper to hope for. */
async function awaitServer(
  files: ServerFolder,
  timeoutMs: number,
  isGone: () => boolean,
): Promise<AwaitedServer> {
  let waitedMs = 0
  let problem = 'it did not begin to listen'
  while (waitedMs < timeoutMs) {
    if (isGone()) return { problem: 'it ended before it answered', ended: true }
    const begunMs = Date.now()
    const record = readServerRecord(files)
    if (record !== undefined && (await isListening(record))) {
      try {
        await checkNamespace({ address: record.address }, EMBEDDED_NAMESPACE, ANSWER_MS)
        return { record }
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error)
      }
    }
    await delay(PROBE_MS)
    waitedMs += Math.min(Date.now() - begunMs, LONGEST_STEP_MS)
  }
  return { problem: `it did not answer within ${timeoutMs / 1000} s: ${problem}`, ended: false }
}

const isListening = async ({ port }: ServerRecord): Promise<boolean> =>
  (await findPortProblem('127.0.0.1', port)) === undefined
