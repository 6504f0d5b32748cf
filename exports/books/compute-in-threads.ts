import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { reviveFailure } from '../failure.ts'
import type { Selection } from '../snapshot.ts'
import { memoryOf } from './compute-books.ts'
import type { BooksToCompute, ComputedSlice } from './compute-books.ts'
import type { Answer, ComputeOrder, Request } from './compute-worker.ts'
import type { Computers } from './write-books.ts'

/** Below that, starting threads costs more than they save; so a night of one day starts none. */
const WORTH_THREADS = 15_000
/** SQLite attaches ten databases at most, and each thread has a scratch file. */
const MOST_THREADS = 8

/** How many threads compute so many transactions; 1 is the one that asks. */
export const threadsFor = (transactions: number, cores = availableParallelism()): number =>
  transactions < WORTH_THREADS ? 1 : Math.min(cores, MOST_THREADS)

/** Slices that a thread has before it, so that it never waits; it bounds the memory. */
const SLICES_AHEAD = 3

export interface ComputeThreads extends Computers {
  /** All of them see the database as it is now. */
  look: () => Promise<void>
}

/** Starts a thread for each scratch file. */
export function startThreads(
  databasePath: string,
  selection: Selection,
  scratchPaths: readonly string[],
  work: BooksToCompute,
): ComputeThreads {
  const threads = scratchPaths.map(scratchPath =>
    startThread({ databasePath, selection, scratchPath, work }),
  )
  const askAll = async (kind: 'look' | 'finish' | 'close'): Promise<void> => {
    await Promise.all(threads.map(thread => thread.ask({ kind })))
  }
  return {
    look: () => askAll('look'),
    async *compute(slices) {
      const ahead: Ahead[] = []
      let number = 0
      for (const ids of slices) {
        ahead.push(computeSlice(leastBusy(threads), number++, ids))
        if (ahead.length >= threads.length * SLICES_AHEAD) yield* handOut(ahead.shift()!)
      }
      for (const slice of ahead) yield* handOut(slice)
    },
    finish: () => askAll('finish'),
    close: async () => {
      await Promise.allSettled(threads.map(thread => thread.ask({ kind: 'close' })))
    },
  }
}

interface Thread {
  ask: (request: Request, memory?: readonly ArrayBuffer[]) => Promise<ComputedSlice | undefined>
  waiting: () => number
  /** Of its slices that were written: it writes the next ones there. */
  memory: ArrayBuffer[][]
}

/** A slice on its way. */
interface Ahead {
  thread: Thread
  slice: Promise<ComputedSlice>
}

function computeSlice(thread: Thread, number: number, ids: readonly string[]): Ahead {
  const memory = thread.memory.pop() ?? []
  const slice = thread
    .ask({ kind: 'compute', number, ids, memory }, memory)
    .then(computed => computed!)
  // It is awaited in its turn; until then its failure is nobody's.
  slice.catch(() => {})
  return { thread, slice }
}

/**
 * Memory goes back and forth: whatever a thread hands over for good counts as garbage in the one
 * that gets it, which would look for more of it again and again.
 */
async function* handOut({ thread, slice }: Ahead): AsyncGenerator<ComputedSlice> {
  const computed = await slice
  yield computed
  thread.memory.push(memoryOf(computed))
}

const leastBusy = (threads: readonly Thread[]): Thread =>
  threads.reduce((least, thread) => (thread.waiting() < least.waiting() ? thread : least))

/** A thread answers what it is asked one after the other. */
function startThread(workerData: ComputeOrder): Thread {
  // .ts in the clone, .js in the installed package.
  const entry = new URL(`./compute-worker${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(entry, { workerData, name: 'tillage-books' })
  const asked: PromiseWithResolvers<ComputedSlice | undefined>[] = []
  let ended: Error | undefined
  const end = (error: Error): void => {
    ended ??= error
    for (const { reject } of asked.splice(0)) reject(ended)
  }
  worker.on('message', (answer: Answer) => {
    const next = asked.shift()!
    if (answer.kind === 'done') next.resolve(answer.slice)
    else next.reject(revive(answer))
  })
  worker.on('error', error => end(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => end(new Error('a thread that computes books has ended')))
  return {
    waiting: () => asked.length,
    memory: [],
    ask(request, memory = []) {
      if (ended !== undefined) return Promise.reject(ended)
      const answer = Promise.withResolvers<ComputedSlice | undefined>()
      asked.push(answer)
      worker.postMessage(request, memory)
      return answer.promise
    },
  }
}

function revive(answer: Exclude<Answer, { kind: 'done' }>): Error {
  if (answer.kind === 'refused') return reviveFailure(answer)
  const { message, code } = answer
  return code === undefined ? new Error(message) : Object.assign(new Error(message), { code })
}
