import { parentPort, workerData } from 'node:worker_threads'
import { TillageError } from '../../errors.ts'
import type { SentFailure } from '../failure.ts'
import type { Selection, Snapshot } from '../snapshot.ts'
import { openSnapshot } from '../snapshot.ts'
import { memoryOf, openComputer } from './compute-books.ts'
import type { BooksComputer, BooksToCompute, ComputedSlice } from './compute-books.ts'

export interface ComputeOrder {
  databasePath: string
  selection: Selection
  scratchPath: string
  work: BooksToCompute
}

/** What the thread is asked; it answers each in turn. */
export type Request =
  /** From now on it sees the database as it is now. */
  | { kind: 'look' }
  | { kind: 'compute'; number: number; ids: readonly string[]; memory: readonly ArrayBuffer[] }
  | { kind: 'finish' }
  | { kind: 'close' }

export type Answer =
  | { kind: 'done'; slice: ComputedSlice | undefined }
  | { kind: 'failed'; message: string; code: string | undefined }
  | ({ kind: 'refused' } & SentFailure)

const { databasePath, selection, scratchPath, work } = workerData as ComputeOrder
const port = parentPort!
let snapshot: Snapshot | undefined
let computer: BooksComputer | undefined

port.on('message', (request: Request) => {
  try {
    const slice = answer(request)
    // Bytes are handed over, not copied.
    const memory = slice === undefined ? [] : memoryOf(slice)
    port.postMessage({ kind: 'done', slice } satisfies Answer, memory)
  } catch (error) {
    port.postMessage(describe(error))
  }
  if (request.kind === 'close') port.close()
})

function answer(request: Request): ComputedSlice | undefined {
  switch (request.kind) {
    case 'look':
      if (snapshot === undefined) snapshot = openSnapshot(databasePath, selection)
      else snapshot.renew()
      return undefined
    case 'compute':
      computer ??= openComputer(snapshot!.database, scratchPath, work)
      return computer.compute(request.number, request.ids, request.memory)
    case 'finish':
      computer ??= openComputer(snapshot!.database, scratchPath, work)
      computer.finish()
      return undefined
    case 'close':
      computer?.close()
      snapshot?.close()
      return undefined
  }
}

/** Classes do not survive the way between threads; the codes of SQLite and of the system do. */
function describe(error: unknown): Answer {
  if (error instanceof TillageError) {
    const { code, message, remedy } = error
    return { kind: 'refused', code, message, remedy }
  }
  const isError = error instanceof Error
  return {
    kind: 'failed',
    message: isError ? error.message : String(error),
    code: isError && 'code' in error && typeof error.code === 'string' ? error.code : undefined,
  }
}
