import type { WindowToCommit } from '../../destination/windows.ts'
import { emptyShape, findDrift, mergeShapes } from '../../shape.ts'
import type { Drift, Shape } from '../../shape.ts'
import { first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'

const IS_PAST = `
  SELECT EXISTS (
    SELECT 1 FROM windows
    WHERE store_id = @store AND stream = @stream
      AND status = 'proven' AND window_start >= @end
  ) AND NOT EXISTS (
    SELECT 1 FROM windows
    WHERE store_id = @store AND stream = @stream
      AND window_start < @end AND window_end > @start
  ) AS past`

/**
 * Learns the shape of a stream's records, and tells once what drifted from it. Inside the window's
 * own transaction, so that what is reported and what is known cannot come apart. The run that reads
 * a stream for the first time only learns: rare fields would all look new to it. So do windows of
 * the past that are read for the first time, such as those that an interrupted first run has left:
 * what is new there is merely older than what is known.
 */
export function* learnShape({
  store,
  stream,
  window,
  seen,
}: Pick<WindowToCommit, 'store' | 'stream' | 'window' | 'seen'>): Steps<Drift[]> {
  if (seen === undefined || seen.shape.count === 0) return []
  const place = { store, stream }
  const known = yield* first<{ shape: string; learned_by: string }>(
    'SELECT shape, learned_by FROM shapes WHERE store_id = @store AND stream = @stream',
    place,
  )
  const before = known === undefined ? emptyShape() : (JSON.parse(known.shape) as Shape)
  yield* run(
    `INSERT INTO shapes (store_id, stream, learned_by, shape)
     VALUES (@store, @stream, @run, @shape)
     ON CONFLICT (store_id, stream) DO UPDATE SET shape = excluded.shape`,
    { ...place, run: seen.run, shape: JSON.stringify(mergeShapes(before, seen.shape)) },
  )
  if (known === undefined || known.learned_by === seen.run) return []
  const isPast = yield* first<{ past: boolean | 0 | 1 }>(IS_PAST, { ...place, ...window })
  return isPast!.past ? [] : findDrift(before, seen.shape)
}
