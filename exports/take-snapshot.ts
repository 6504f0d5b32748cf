import { createHash } from 'node:crypto'
import { openSnapshot } from '../connectors/database-for-exports.ts'
import type { Snapshot } from '../connectors/destination/snapshot.ts'
import type { Dataset } from './dataset.ts'
import type { ExportOrder } from './request.ts'
import { bookedIn } from './run.ts'
import type { ExportFacts, ExportRun } from './run.ts'
import { computeBooks } from './sales/compute-books.ts'
import { booksShape } from './sales/shown-books.ts'

/** What was read, before it is compared with what was given out. */
export type TakenSnapshot = Pick<ExportFacts, 'snapshot' | 'states' | 'batch'>

/**
 * One state of the database, with the books of the order beside it if it asks for any; and a hash
 * of the state of each stream that is read.
 */
export async function takeSnapshot(order: ExportOrder, run: ExportRun): Promise<TakenSnapshot> {
  const { database, store, range } = order
  const read = [...new Set(run.wanted.map(({ stream }) => stream))]
  const booked = bookedIn(order)
  const stream = booked !== undefined && read.includes(booked.name) ? booked : undefined
  const books = stream && { shape: booksShape(stream), folder: run.workFolder }
  const snapshot = await openSnapshot(database, { store, ...range }, books)
  try {
    const states = new Map<string, string>()
    for (const name of read.filter(one => one !== stream?.name))
      states.set(name, await stateOf(snapshot, datasetsOfStream(run.all, name)))
    if (stream !== undefined) states.set(stream.name, await computed(order, run, snapshot))
    return { snapshot, states, batch: await snapshot.batch() }
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

function computed(order: ExportOrder, run: ExportRun, snapshot: Snapshot): Promise<string> {
  const { store, days, books } = order
  if (books === undefined)
    throw new Error('an export of booked transactions needs to know their business days')
  const work = { stream: bookedIn(order)!, store, days, books }
  return computeBooks(snapshot, work, rows => run.report({ phase: 'reading', rows }))
}

const datasetsOfStream = (all: readonly Dataset[], name: string): Dataset[] =>
  all.filter(({ stream }) => stream === name)

/** The sha256 of all rows of a stream's datasets. */
async function stateOf(snapshot: Snapshot, datasets: readonly Dataset[]): Promise<string> {
  const state = createHash('sha256')
  for (const dataset of datasets) {
    state.update(`\n${dataset.name}`)
    for await (const rows of snapshot.jsonRows(dataset)) for (const row of rows) state.update(row)
  }
  return state.digest('hex')
}
