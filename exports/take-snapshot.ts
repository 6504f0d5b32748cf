import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { quoteName } from '../connectors/quote.ts'
import type { Stream } from '../connectors/stream.ts'
import { createScratch, writeBooks } from './books/write-books.ts'
import type { Dataset } from './dataset.ts'
import type { ExportOrder } from './request.ts'
import { bookedIn } from './run.ts'
import type { ExportFacts, ExportRun } from './run.ts'
import { openSnapshot } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'

/** Where the books of a run are computed. */
export const scratchPathOf = (workFolder: string): string => join(workFolder, 'books.db')

/**
 * One state of the database, with the books of the order beside it if it asks for any; and a hash
 * of the state of each stream that is read.
 */
export function takeDatabaseSnapshot(
  order: ExportOrder,
  run: ExportRun,
): Omit<ExportFacts, 'folder' | 'newest'> {
  const read = [...new Set(run.wanted.map(({ stream }) => stream))]
  const booked = bookedIn(order)
  const stream = booked !== undefined && read.includes(booked.name) ? booked : undefined
  const scratchPath = scratchPathOf(run.workFolder)
  if (stream !== undefined) createScratch(scratchPath)
  const snapshot = openSnapshot(
    order.databasePath,
    { store: order.store, ...order.range },
    stream === undefined ? undefined : scratchPath,
  )
  try {
    const states = new Map<string, string>()
    for (const name of read.filter(one => one !== stream?.name))
      states.set(name, stateOf(snapshot, datasetsOfStream(run.all, name)))
    if (stream !== undefined)
      states.set(stream.name, computeBooks(order, run, { stream, snapshot, scratchPath }))
    const batch = newestBatch(snapshot)
    return { snapshot, states, batch, hasBooks: stream !== undefined }
  } catch (error) {
    snapshot.close()
    throw error
  }
}

const newestBatch = ({ database }: Snapshot): number =>
  database.prepare('SELECT coalesce(max(batch), 0) FROM readings').pluck().get() as number

const datasetsOfStream = (all: readonly Dataset[], name: string): Dataset[] =>
  all.filter(({ stream }) => stream === name)

function computeBooks(
  { books, store, days }: ExportOrder,
  { report }: ExportRun,
  { stream, snapshot, scratchPath }: { stream: Stream; snapshot: Snapshot; scratchPath: string },
): string {
  if (books === undefined)
    throw new Error('an export of booked transactions needs to know their business days')
  return writeBooks(snapshot.database, { scratchPath, stream, store, days, books }, rows =>
    report({ phase: 'reading', rows }),
  )
}

/** The sha256 of all rows of a stream's datasets. */
function stateOf(snapshot: Snapshot, datasets: readonly Dataset[]): string {
  const state = createHash('sha256')
  for (const dataset of datasets) {
    const cells = dataset.columns.map(column => `r.${quoteName(column.name)}`)
    state.update(`\n${dataset.name}`)
    for (const row of snapshot.values(dataset, `json_array(${cells.join(', ')})`)) state.update(row)
  }
  return state.digest('hex')
}
