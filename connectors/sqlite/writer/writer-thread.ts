/**
 * The one connection that writes, in a thread of its own, so that fetching and merging run side by
 * side.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { TillageError, sentError } from '../../../errors.ts'
import type { Stream } from '../../stream.ts'
import { openConnection } from '../connection/open-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createWindowStore } from './window-store.ts'
import type { WriterAnswer, WriterRequest } from './window-store.ts'

const { path, streams } = workerData as { path: string; streams: readonly Stream[] }
const connection = openConnection(path)
const store = createWindowStore(connection, streams)
const checkpoints = createCheckpoints(connection)

parentPort!.on('message', ({ id, call, input }: WriterRequest) => {
  // Both empty the log themselves.
  if (call === 'purge') checkpoints.settle()
  if (call === 'close') checkpoints.close()
  try {
    parentPort!.postMessage({
      id,
      output: (store[call] as (input: unknown) => unknown)(input),
    } satisfies WriterAnswer)
  } catch (cause) {
    const error = asDatabaseError(path, cause)
    parentPort!.postMessage({
      id,
      error:
        error instanceof TillageError
          ? sentError(error)
          : { code: undefined, message: String(error) },
    } satisfies WriterAnswer)
  }
  if (call === 'close') parentPort!.close()
  else checkpoints.afterCommit()
})
