import { setTimeout as delay } from 'node:timers/promises'
import { tryFileLock } from '../file-lock.ts'
import { launchServer } from './launch-server.ts'
import { identifyProcess, isRunning } from './process-identity.ts'
import { readServerRecord, removeServerRecord } from './server-folder.ts'
import type { ServerFolder, ServerRecord } from './server-folder.ts'
import { boundLog, note } from './server-log.ts'
import { endServer } from './stop-process.ts'
import { countUsers } from './users.ts'

const POLL_MS = 250
/**
 * A server that dies sooner than this after its start would only die again; one that lived longer
 * was killed or ran out of memory.
 */
const WORTH_RESTARTING_MS = 2_000

/**
 * Keeps the folder's server until its last user is gone, then stops it and returns. Returns at once
 * if the record names another keeper: whoever writes it is in charge, and only a keeper that has
 * ended is replaced.
 */
export async function keepServer(files: ServerFolder, cli: string): Promise<void> {
  const asked = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => asked.abort())
  for (;;) {
    const record = readServerRecord(files)
    if (record === undefined || !isOurs(record))
      return note(files, 'another keeper is in charge of this folder')
    boundLog(files)
    if (asked.signal.aborted) return endKept(files, record)
    if (await stopIfUnused(files, record)) return
    if (hasServer(record)) await pause(POLL_MS, asked.signal)
    else if (!(await restart(files, record, cli))) return
  }
}

function isOurs({ keeper }: ServerRecord): boolean {
  const { pid, startedAt } = identifyProcess()
  return keeper.pid === pid && keeper.startedAt === startedAt
}

const hasServer = ({ server }: ServerRecord): boolean => server !== undefined && isRunning(server)

/** Ends early, and without a complaint, when the signal comes. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => {})

/** Whether that was worth trying. */
async function restart(files: ServerFolder, record: ServerRecord, cli: string): Promise<boolean> {
  if (Date.now() - (record.launchedAtMs ?? 0) < WORTH_RESTARTING_MS) {
    note(files, 'the Temporal server ended right after its start')
    removeServerRecord(files)
    return false
  }
  note(files, 'the Temporal server ended by itself and is started again')
  await launchServer(files, { cli, hasWebUi: record.uiPort !== undefined })
  return true
}

/**
 * Under the lock that users register under, so that nobody can join a server that is being stopped.
 */
async function stopIfUnused(files: ServerFolder, record: ServerRecord): Promise<boolean> {
  if (countUsers(files) > 0) return false
  const unlock = tryFileLock(files.lock)
  if (unlock === undefined) return false
  try {
    if (countUsers(files) > 0) return false
    await endKept(files, record)
    return true
  } finally {
    unlock()
  }
}

async function endKept(files: ServerFolder, { server }: ServerRecord): Promise<void> {
  if (server !== undefined) await endServer(server)
  removeServerRecord(files)
}
