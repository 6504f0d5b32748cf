import { fromIso } from '../../../calendar/days.ts'
import type { WindowToCommit } from '../../destination/windows.ts'
import { run } from '../steps.ts'
import type { Steps } from '../steps.ts'

/** What a batch brought into a time that was proven before. */
export interface LateRecords {
  records: number
  /** `modified` of the oldest, epoch milliseconds; null: there is none. */
  oldestMs: number | null
}

/** Writes the table `lateness`: how late records arrived at most, by the day that saw them. */
export function* noteLateness(
  { store, stream, readAt }: Pick<WindowToCommit, 'store' | 'stream' | 'readAt'>,
  { records, oldestMs }: LateRecords,
): Steps<void> {
  if (oldestMs === null) return
  const lateMs = fromIso(readAt) - oldestMs
  yield* run(
    `INSERT INTO lateness (store_id, stream, day, max_ms, records)
     VALUES (@store, @stream, @day, @lateMs, @records)
     ON CONFLICT (store_id, stream, day) DO UPDATE SET
       max_ms = CASE WHEN excluded.max_ms > lateness.max_ms
         THEN excluded.max_ms ELSE lateness.max_ms END,
       records = lateness.records + excluded.records`,
    { store, stream, day: readAt.slice(0, 10), lateMs, records },
  )
}
