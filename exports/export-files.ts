import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { SHARE_ENV, Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { reviveError } from '../errors.ts'
import { datasetsOf, pickDatasets } from './datasets.ts'
import type { WorkerAnswer, WorkerMessage, WorkerOrder } from './export-worker.ts'
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
    return await turn(() => inThread({ order, stop }, progress))
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

/** They compute all the time: more than there are processors take memory, and end no sooner. */
const turn = pLimit(availableParallelism())

/**
 * Threads that wait for the next export, the newest last: to start one takes as long as to export a
 * day.
 */
const idle = new Map<Worker, NodeJS.Timeout>()
/** Then it ends, and its memory is free. */
const REST_MS = 10_000

/**
 * The thread is never terminated from outside: in the middle of a COPY that would abort the whole
 * process.
 */
async function inThread(
  work: WorkerOrder,
  progress: ExportRequest['progress'],
): Promise<ExportResult> {
  const thread = [...idle.keys()].at(-1) ?? startThread()
  clearTimeout(idle.get(thread))
  idle.delete(thread)
  thread.ref()
  try {
    const answer = await answerOf(thread, work, progress)
    idle.set(thread, setTimeout(() => end(thread), REST_MS).unref())
    if (answer.kind === 'failed') throw reviveError(answer)
    return answer.result
  } finally {
    // Whatever may keep the thread from ending keeps nobody waiting.
    thread.unref()
  }
}

function end(thread: Worker): void {
  idle.delete(thread)
  thread.postMessage('end')
}

function startThread(): Worker {
  // .ts in the clone, .js in the installed package.
  const entry = new URL(`./export-worker${extname(import.meta.url)}`, import.meta.url)
  const thread = new Worker(entry, { name: 'tillage-export', env: SHARE_ENV })
  thread.once('exit', () => idle.delete(thread))
  // What fails after its answer has failed nobody.
  thread.on('error', () => {})
  return thread
}

function answerOf(
  thread: Worker,
  work: WorkerOrder,
  progress: ExportRequest['progress'],
): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: WorkerMessage): void => {
      if (message.kind === 'progress') return progress?.(message.progress)
      thread.off('message', onMessage).off('error', reject).off('exit', onExit)
      resolve(message)
    }
    const onExit = (code: number): void =>
      reject(new Error(`the export thread ended with ${code} and without a result`))
    thread.on('message', onMessage).on('error', reject).on('exit', onExit)
    thread.postMessage(work)
  })
}
