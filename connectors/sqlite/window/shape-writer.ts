import type Database from 'better-sqlite3'
import type { WindowToCommit } from '../../destination/windows.ts'
import { emptyShape, findDrift, mergeShapes } from '../../shape.ts'
import type { Drift, Shape } from '../../shape.ts'

/** Learns the shape of a stream's records, and tells once what drifted from it. */
export type ShapeWriter = (
  window: Pick<WindowToCommit, 'store' | 'stream' | 'window' | 'seen'>,
) => Drift[]

/**
 * Inside the window's own transaction, so that what is reported and what is known cannot come
 * apart. The run that reads a stream for the first time only learns: rare fields would all look new
 * to it. So do windows of the past that are read for the first time, such as those that an
 * interrupted first run has left: what is new there is merely older than what is known.
 */
export function createShapeWriter(database: Database.Database): ShapeWriter {
  const recall = database.prepare<[string, string], { shape: string; learned_by: string }>(
    'SELECT shape, learned_by FROM shapes WHERE store_id = ? AND stream = ?',
  )
  const learn = database.prepare(
    `INSERT INTO shapes (store_id, stream, learned_by, shape) VALUES (?, ?, ?, ?)
     ON CONFLICT (store_id, stream) DO UPDATE SET shape = excluded.shape`,
  )
  const isPast = database.prepare<object, { past: number }>(
    `SELECT EXISTS (
       SELECT 1 FROM windows
       WHERE store_id = @store AND stream = @stream
         AND status = 'proven' AND window_start >= @end
     ) AND NOT EXISTS (
       SELECT 1 FROM windows
       WHERE store_id = @store AND stream = @stream
         AND window_start < @end AND window_end > @start
     ) AS past`,
  )
  return ({ store, stream, window, seen }) => {
    if (seen === undefined || seen.shape.count === 0) return []
    const { shape, run } = seen
    const known = recall.get(store, stream)
    const before = known === undefined ? emptyShape() : (JSON.parse(known.shape) as Shape)
    learn.run(store, stream, run, JSON.stringify(mergeShapes(before, shape)))
    return known === undefined ||
      known.learned_by === run ||
      isPast.get({ store, stream, ...window })!.past === 1
      ? []
      : findDrift(before, shape)
  }
}
