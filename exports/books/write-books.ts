import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { BooksToCompute, ComputedSlice } from './compute-books.ts'
import { openComputer } from './compute-books.ts'
import { saleIdsIn } from './sales.ts'
import type { Spool } from './spool.ts'

/**
 * An empty scratch file, to be attached before the snapshot is taken: SQLite attaches nothing
 * later.
 */
export function createScratch(path: string): void {
  writeFileSync(path, '')
}

/** Whoever computes books, each into a scratch file of its own. */
export interface Computers {
  /**
   * Computes slices of transactions; answers them in the order in which they were given. The bytes
   * of each stand until the next one is asked for.
   */
  compute: (slices: Iterable<readonly string[]>) => AsyncIterable<ComputedSlice>
  /** The scratch files are whole then, and can be read. */
  finish: () => Promise<void>
  close: () => Promise<void>
}

/** Where the rows of the books go, besides the scratch files. */
export interface BooksSink {
  spool?: Spool
  step: (transactions: number) => void
}

/** Enough that handing over costs nothing, few enough that many slices fit into memory. */
const TRANSACTIONS_A_SLICE = 256

/**
 * Computes the five books of a range from the snapshot, in the order of their keys, and writes what
 * is rendered of them as it comes. Answers the sha256 of all cells: the state of the books,
 * whichever files are made of them.
 */
export async function writeBooks(
  snapshot: Database.Database,
  computers: Computers,
  { stream, store, books: { read } }: BooksToCompute,
  { spool, step }: BooksSink,
): Promise<string> {
  const state = createHash('sha256')
  let transactions = 0
  function* slices(): Generator<string[]> {
    let slice: string[] = []
    for (const id of saleIdsIn(snapshot, stream, store, read)) {
      if (slice.push(id) < TRANSACTIONS_A_SLICE) continue
      yield slice
      slice = []
    }
    yield slice
  }
  for await (const computed of computers.compute(slices())) {
    state.update(computed.state)
    spool?.add(computed.rendered)
    step((transactions += computed.transactions))
  }
  await computers.finish()
  return state.digest('hex')
}

/** Computes in the thread that calls it. */
export function computeHere(
  snapshot: Database.Database,
  scratchPath: string,
  work: BooksToCompute,
): Computers {
  const computer = openComputer(snapshot, scratchPath, work)
  return {
    async *compute(slices) {
      let number = 0
      for (const ids of slices) yield computer.compute(number++, ids)
    },
    finish: async () => computer.finish(),
    close: async () => computer.close(),
  }
}
