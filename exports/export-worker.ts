import { parentPort, workerData } from 'node:worker_threads'
import { sentError, TillageError } from '../errors.ts'
import type { SentError } from '../errors.ts'
import type { ExportOrder, ExportProgress, ExportResult } from './request.ts'
import { runExport } from './run-export.ts'

export interface WorkerOrder {
  order: ExportOrder
  /**
   * One integer; anything but 0 asks the run to stop. Shared memory, since a busy thread reads no
   * messages.
   */
  stop: SharedArrayBuffer
}

export type WorkerMessage =
  | { kind: 'progress'; progress: ExportProgress }
  | { kind: 'done'; result: ExportResult }
  | ({ kind: 'failed' } & SentError)

const { order, stop } = workerData as WorkerOrder
const flag = new Int32Array(stop)
const send = (message: WorkerMessage): void => parentPort?.postMessage(message)

try {
  send({
    kind: 'done',
    result: await runExport(order, {
      progress: progress => send({ kind: 'progress', progress }),
      stopped: () => Atomics.load(flag, 0) !== 0,
    }),
  })
} catch (error) {
  // What is not ours is a bug: let it surface as it is.
  if (!(error instanceof TillageError)) throw error
  send({ kind: 'failed', ...sentError(error) })
}
