import type Database from 'better-sqlite3'
import { emptyShape, findDrift, mergeShapes, type Drift, type Shape } from '../shape.ts'
import type { WindowToCommit } from './window-to-commit.ts'

/** Learns the shape of a stream's records, and tells once what drifted from it. */
export type ShapeWriter = (window: Pick<WindowToCommit, 'store' | 'stream' | 'seen'>) => Drift[]

/**
 * Inside the window's own transaction, so that what is reported and what is known cannot come apart. The run that reads a
 * stream for the first time only learns: rare fields would all look new to it.
 */
export function createShapeWriter(database: Database.Database): ShapeWriter {
  const recall = database.prepare<[string, string], { shape: string; learned_by: string }>('SELECT shape, learned_by FROM shapes WHERE store_id = ? AND stream = ?')
  const learn = database.prepare('INSERT INTO shapes (store_id, stream, learned_by, shape) VALUES (?, ?, ?, ?) ON CONFLICT (store_id, stream) DO UPDATE SET shape = excluded.shape')
  return ({ store, stream, seen }) => {
    if (seen === undefined || seen.shape.count === 0) return []
    const { shape, run } = seen
    const known = recall.get(store, stream)
    const before = known === undefined ? emptyShape() : (JSON.parse(known.shape) as Shape)
    learn.run(store, stream, run, JSON.stringify(mergeShapes(before, shape)))
    return known === undefined || known.learned_by === run ? [] : findDrift(before, shape)
  }
}
