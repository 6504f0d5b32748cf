import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { reviveError } from '../errors.ts'
import { datasetsOf, pickDatasets } from './datasets.ts'
import type { WorkerMessage, WorkerOrder } from './export-worker.ts'
import { checkOrder } from './request.ts'
import type { ExportOrder, ExportProgress, ExportResult } from './request.ts'

export interface ExportRequest extends ExportOrder {
  progress?: (progress: ExportProgress) => void
  /** Ends the export cleanly: nothing of it is kept. */
  signal?: AbortSignal
}

/**
 * Writes the files of one store and one range, and their manifest, whole or not at all (INV-9). All
 * datasets come from one state of the database; the same rows give the same bytes. Which revision
 * that makes: `decideRevision`.
 *
 * It runs in a thread of its own, so that the caller's event loop (heartbeats, signals) stays free.
 */
export async function exportFiles(request: ExportRequest): Promise<ExportResult> {
  const { progress, signal, ...order } = request
  checkOrder(order)
  pickDatasets(datasetsOf(order.streams), order.datasets)
  const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const onAbort = (): void => {
    Atomics.store(new Int32Array(stop), 0, 1)
  }
  if (signal?.aborted === true) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await inThread({ order, stop }, progress)
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/**
 * The thread is never terminated from outside: in the middle of a COPY that would abort the whole
 * process.
 */
function inThread(
  workerData: WorkerOrder,
  progress: ExportRequest['progress'],
): Promise<ExportResult> {
  // .ts in the clone, .js in the installed package.
  const entry = new URL(`./export-worker${extname(import.meta.url)}`, import.meta.url)
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData, name: 'tillage-export' })
    let last: WorkerMessage | undefined
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'progress') progress?.(message.progress)
      else last = message
      if (message.kind !== 'failed') return
      // Whatever may keep the thread from ending keeps nobody waiting.
      reject(reviveError(message))
      worker.unref()
    })
    worker.on('error', reject)
    worker.on('exit', code => {
      if (last?.kind === 'done') resolve(last.result)
      else reject(new Error(`the export thread ended with ${code} and without a result`))
    })
  })
}
