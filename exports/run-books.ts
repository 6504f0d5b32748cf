import { join } from 'node:path'
import type { Stream } from '../connectors/stream.ts'
import { booksOf } from './books/book-datasets.ts'
import { showBooks } from './books/book-views.ts'
import type { BooksToCompute } from './books/compute-books.ts'
import { startThreads, threadsFor } from './books/compute-in-threads.ts'
import type { ComputeThreads } from './books/compute-in-threads.ts'
import type { Rendering } from './books/render-book.ts'
import { countSalesIn } from './books/sales.ts'
import { openSpool } from './books/spool.ts'
import type { WrittenBook } from './books/spool.ts'
import { computeHere, createScratch, writeBooks } from './books/write-books.ts'
import type { Computers } from './books/write-books.ts'
import type { ExportOrder } from './request.ts'
import type { ExportRun } from './run.ts'
import { alignSnapshots } from './same-state.ts'
import { openSnapshot, scratchName } from './snapshot.ts'
import type { Selection, Snapshot } from './snapshot.ts'

/** The books of a run, and the snapshot that they are computed from. */
export interface RunBooks {
  snapshot: Snapshot
  /** Of the books; thrown away with the work folder. */
  scratchPaths: readonly string[]
  /**
   * Computes them, writes what is wanted of them on the way, and shows them to the snapshot.
   * Answers their state, and what was written, by the name of the book.
   */
  write: () => Promise<{ state: string; written: Map<string, WrittenBook> }>
  close: () => Promise<void>
}

/** Gets ready to compute the books of an order, in as many threads as they are worth. */
export async function openBooks(
  order: ExportOrder,
  run: ExportRun,
  stream: Stream,
): Promise<RunBooks> {
  const { store, days, books, range, bom = true } = order
  if (books === undefined)
    throw new Error('an export of booked transactions needs to know their business days')
  const renderings = renderingsOf(stream, order, run)
  const work = { stream, store, days, books, renderings }
  const { snapshot, computers, scratchPaths } = await openComputers(order, run, work, {
    store,
    ...range,
  })
  const step = (rows: number): void => run.report({ phase: 'reading', rows })
  return {
    snapshot,
    scratchPaths,
    async write() {
      const spool = openSpool(run.workFolder, booksOf(stream), renderings, bom)
      try {
        const state = await writeBooks(snapshot.database, computers, work, { spool, step })
        showBooks(snapshot.database, stream, [...scratchPaths.keys()].map(scratchName))
        return { state, written: spool.finish() }
      } finally {
        spool.close()
      }
    },
    close: () => computers.close(),
  }
}

/** Of the wanted files, those that can be written while the books are computed. */
const renderingsOf = (
  stream: Stream,
  { formats }: ExportOrder,
  { wanted }: ExportRun,
): Map<string, Rendering> =>
  new Map(
    booksOf(stream)
      .filter(({ name }) => wanted.some(dataset => dataset.name === name))
      .map(({ name }) => [
        name,
        { csv: formats.includes('csv'), lines: formats.includes('parquet') },
      ]),
  )

interface OpenComputers extends Pick<RunBooks, 'snapshot' | 'scratchPaths'> {
  computers: Computers
}

/** The snapshot, and whoever computes from the same state of the database. */
async function openComputers(
  { databasePath, threads }: ExportOrder,
  { workFolder }: ExportRun,
  work: BooksToCompute,
  selection: Selection,
): Promise<OpenComputers> {
  const count = threads ?? threadsFor(countSales(databasePath, work, selection))
  const scratchPaths = Array.from({ length: count }, (_, number) =>
    join(workFolder, `books${number}.db`),
  )
  for (const path of scratchPaths) createScratch(path)
  const snapshot = openSnapshot(databasePath, selection, scratchPaths)
  try {
    if (count > 1) {
      const computers = startThreads(databasePath, selection, scratchPaths, work)
      if (await seeTogether(databasePath, snapshot, computers))
        return { snapshot, computers, scratchPaths }
    }
    const [scratchPath] = scratchPaths as [string]
    const computers = computeHere(snapshot.database, scratchPath, work)
    return { snapshot, computers, scratchPaths: [scratchPath] }
  } catch (error) {
    snapshot.close()
    throw error
  }
}

/** Threads that do not see what the snapshot sees are ended, also where looking fails. */
async function seeTogether(
  databasePath: string,
  snapshot: Snapshot,
  threads: ComputeThreads,
): Promise<boolean> {
  let together = false
  try {
    together = await alignSnapshots(databasePath, async () => {
      snapshot.renew()
      await threads.look()
    })
    return together
  } finally {
    if (!together) await threads.close()
  }
}

function countSales(
  databasePath: string,
  { stream, store, books }: BooksToCompute,
  selection: Selection,
): number {
  const snapshot = openSnapshot(databasePath, selection)
  try {
    return countSalesIn(snapshot.database, stream, store, books.read)
  } finally {
    snapshot.close()
  }
}
