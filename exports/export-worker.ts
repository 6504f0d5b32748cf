import { parentPort } from 'node:worker_threads'
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

export type WorkerAnswer = { kind: 'done'; result: ExportResult } | ({ kind: 'failed' } & SentError)
export type WorkerMessage = { kind: 'progress'; progress: ExportProgress } | WorkerAnswer

const port = parentPort!
const send = (message: WorkerMessage): void => port.postMessage(message)

port.on('message', (work: WorkerOrder | 'end') => {
  if (work === 'end') port.close()
  else void answer(work).then(send)
})

async function answer({ order, stop }: WorkerOrder): Promise<WorkerAnswer> {
  const flag = new Int32Array(stop)
  try {
    const result = await runExport(order, {
      progress: progress => send({ kind: 'progress', progress }),
      stopped: () => Atomics.load(flag, 0) !== 0,
    })
    return { kind: 'done', result }
  } catch (error) {
    // What is not ours is a bug: it surfaces as it is, and ends the thread.
    if (!(error instanceof TillageError)) throw error
    return { kind: 'failed', ...sentError(error) }
  }
}
