import { isGrpcServiceError } from '@temporalio/client'
import { askDisk, diskError } from '../disk.ts'
import { TemporalError } from '../errors.ts'
import type { DatabaseError } from '../errors.ts'
import { isOfServer } from './grpc-codes.ts'
import { embeddedFolder, serverFolder } from './server/server-folder.ts'
import { readLogTail } from './server/server-log.ts'

/**
 * What the server refused or could not do, as an error that says what to do; any other as it came.
 * A server that is up and takes no work has usually no room to write it down: that of the
 * embedded one is looked at.
 */
export function asTemporalError(error: unknown, localFiles: string): unknown {
  if (!isOfServer(error)) return error
  const disk = serverDiskError(embeddedFolder(localFiles))
  if (disk !== undefined) return disk
  const why = [error, error.cause].find(isGrpcServiceError)?.details ?? error.message
  return new TemporalError(
    'TEMPORAL_UNREACHABLE',
    `the Temporal server did not do what it was asked for: ${why.replace(EMPTY_END, '')}`,
    {
      cause: error,
      remedy:
        'Check that its disk is not full and that nobody has removed its folder ' +
        '(temporal.log beside the database says more), then run the same command again.',
    },
  )
}

/** What gRPC leaves where it has nothing to say. */
const EMPTY_END = /\.? Resolution note: $/

/** What the server has written for longer is about another time. */
const RECENT_MS = 120_000
const LINES = 200

/**
 * Why the server of this folder cannot write down what it is asked for, as the disk says it;
 * undefined where nothing is wrong with the disk. The server itself names only what follows from
 * it, and may have given room back meanwhile, so its log of the last minutes counts, too.
 */
function serverDiskError(folder: string, nowMs = Date.now()): DatabaseError | undefined {
  const files = serverFolder(folder)
  const code =
    askDisk(files.database) ?? (saysFull(readLogTail(files, LINES), nowMs) ? 'ENOSPC' : '')
  return diskError(files.folder, code, {
    kept: "Temporal's server, which keeps its histories there, could do nothing more",
  })
}

/** `time=2026-11-23T15:14:24.622 level=ERROR ... error="database or disk is full (13)"`, in UTC. */
const FULL = /^time=(\S+) .*(disk is full|no space left)/

const saysFull = (log: string, nowMs: number): boolean =>
  log.split('\n').some(line => {
    const time = FULL.exec(line)?.[1]
    return time !== undefined && nowMs - Date.parse(`${time}Z`) < RECENT_MS
  })
