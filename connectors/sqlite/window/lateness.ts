import type Database from 'better-sqlite3'
import { fromIso } from '../../../calendar/days.ts'
import type { WindowToCommit } from '../../destination/windows.ts'

/** What a batch brought into a time that was proven before. */
export interface LateRecords {
  records: number
  /** `modified` of the oldest, epoch milliseconds; null: there is none. */
  oldestMs: number | null
}

/** Writes the table `lateness`: how late records arrived at most, by the day that saw them. */
export type NoteLateness = (
  window: Pick<WindowToCommit, 'store' | 'stream' | 'readAt'>,
  late: LateRecords,
) => void

export function createNoteLateness(database: Database.Database): NoteLateness {
  const note = database.prepare(
    `INSERT INTO lateness (store_id, stream, day, max_ms, records)
     VALUES (@store, @stream, @day, @lateMs, @records)
     ON CONFLICT DO UPDATE
       SET max_ms = max(max_ms, excluded.max_ms), records = records + excluded.records`,
  )
  return ({ store, stream, readAt }, { records, oldestMs }) => {
    if (oldestMs === null) return
    const lateMs = fromIso(readAt) - oldestMs
    note.run({ store, stream, day: readAt.slice(0, 10), lateMs, records })
  }
}
