import { createHash } from 'node:crypto'
import { quoteName } from '../connectors/quote.ts'
import type { Dataset } from './dataset.ts'
import type { ExportOrder } from './request.ts'
import { openBooks } from './run-books.ts'
import { bookedIn } from './run.ts'
import type { ExportFacts, ExportRun } from './run.ts'
import { openSnapshot } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'

/** What was read, before it is compared with what was given out. */
export interface TakenSnapshot extends Omit<ExportFacts, 'folder' | 'newest' | 'meanwhile'> {
  /** Of the books of the run; thrown away with its work folder. */
  scratchPaths: readonly string[]
}

/**
 * One state of the database, with the books of the order beside it if it asks for any; and a hash
 * of the state of each stream that is read.
 */
export async function takeDatabaseSnapshot(
  order: ExportOrder,
  run: ExportRun,
): Promise<TakenSnapshot> {
  const read = [...new Set(run.wanted.map(({ stream }) => stream))]
  const booked = bookedIn(order)
  const stream = booked !== undefined && read.includes(booked.name) ? booked : undefined
  const books = stream && (await openBooks(order, run, stream))
  const snapshot =
    books?.snapshot ?? openSnapshot(order.databasePath, { store: order.store, ...order.range })
  try {
    const states = new Map<string, string>()
    for (const name of read.filter(one => one !== stream?.name))
      states.set(name, stateOf(snapshot, datasetsOfStream(run.all, name)))
    const batch = newestBatch(snapshot)
    const taken = { snapshot, states, batch, hasBooks: false, scratchPaths: [], written: new Map() }
    if (books === undefined) return taken
    const { state, written } = await books.write()
    states.set(stream!.name, state)
    return { ...taken, hasBooks: true, scratchPaths: books.scratchPaths, written }
  } catch (error) {
    snapshot.close()
    throw error
  } finally {
    await books?.close()
  }
}

const newestBatch = ({ database }: Snapshot): number =>
  database.prepare('SELECT coalesce(max(batch), 0) FROM readings').pluck().get() as number

const datasetsOfStream = (all: readonly Dataset[], name: string): Dataset[] =>
  all.filter(({ stream }) => stream === name)

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
