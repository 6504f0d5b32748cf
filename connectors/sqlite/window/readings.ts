import type Database from 'better-sqlite3'
import { DatabaseError } from '../../../errors.ts'
import type { WindowCounts, WindowToCommit } from '../../destination/windows.ts'
import type { Schema } from '../../sql/schema.ts'

/** Whose rows are merged, and the number of the reading that brought them. */
export interface Batch {
  store: string
  batch: number
  /** The last reading that its records are certainly newer than; undefined: than all. */
  since?: number | undefined
}

/** A reading of a window, or of dead letters that are merged again. */
export interface ReadingToOpen extends Pick<
  WindowToCommit,
  'store' | 'stream' | 'window' | 'readAt'
> {
  status: Schema['readings']['status']
}

/** Writes the table `readings`: every window that was read, with its counts. */
export interface Readings {
  /** The batch number of this reading; rows that it touches carry it. */
  open(reading: ReadingToOpen): number
  /**
   * Checks that the counts add up (INV-3), and stores them with the reading. `what` names the
   * reading in an error.
   */
  close(what: string, batch: number, counts: WindowCounts): void
}

export function createReadings(database: Database.Database): Readings {
  const open = database.prepare(
    `INSERT INTO readings (store_id, stream, window_start, window_end, status, counts, read_at)
     VALUES (?, ?, ?, ?, ?, '{}', ?)`,
  )
  const close = database.prepare('UPDATE readings SET counts = ? WHERE batch = ?')
  return {
    open({ store, stream, window, status, readAt }) {
      const { lastInsertRowid } = open.run(store, stream, window.start, window.end, status, readAt)
      return Number(lastInsertRowid)
    },
    close(what, batch, counts) {
      const stored =
        counts.inserted + counts.updated + counts.unchanged + counts.duplicate + counts.deadLettered
      if (stored !== counts.fetched) {
        throw new DatabaseError(
          'COUNTS_DIFFER',
          `${what}: fetched ${counts.fetched} rows, but they add up to ${stored} ` +
            `(${JSON.stringify(counts)}); nothing of the window was kept`,
        )
      }
      close.run(JSON.stringify(counts), batch)
    },
  }
}

export const noCounts = (fetched: number): WindowCounts => ({
  fetched,
  inserted: 0,
  updated: 0,
  unchanged: 0,
  duplicate: 0,
  deadLettered: 0,
})
