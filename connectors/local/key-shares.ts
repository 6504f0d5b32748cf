import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { KeyShares, SlotOrder, TakenSlots } from '../destination/key-shares.ts'

/** Who has taken none for so long is not counted. */
const SHARES_FOR_MS = 5_000
/** No slot is taken further ahead, so a clock that was set back stops nobody for longer. */
const LONGEST_AHEAD_MS = 30_000
const MOST_SLOTS_AHEAD = 200
/** A statement on this file takes microseconds; whoever waits for longer sends without. */
const BUSY_TIMEOUT_MS = 1_000

const TABLES = `
  CREATE TABLE IF NOT EXISTS paces (key TEXT NOT NULL PRIMARY KEY, next_free_ms REAL NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS sharers (
    key TEXT NOT NULL, process TEXT NOT NULL, seen_ms REAL NOT NULL, PRIMARY KEY (key, process)
  ) STRICT;`

/**
 * A small file of its own beside the database, so that no request waits for a window's commit. What
 * it holds is over within seconds: it is not backed up, and made anew where it cannot be read.
 */
export const paceFileOf = (localFiles: string): string => `${localFiles}.pace`

export function openKeyShares(localFiles: string): KeyShares {
  const process = randomUUID()
  let file: PaceFile | undefined
  return {
    of: key => ({
      take(order) {
        try {
          file ??= openPaceFile(paceFileOf(localFiles))
          return file.take({ ...order, key, process })
        } catch {
          // A full disk, say: what is read and written says so, and a limit is no reason to stop.
          return { startMs: order.nowMs, sharers: 1 }
        }
      },
    }),
    close: () => file?.close(),
  }
}

interface PaceFile {
  take(order: SlotOrder & { key: string; process: string }): TakenSlots
  close(): void
}

function openPaceFile(path: string): PaceFile {
  const database = openOrMakeAnew(path)
  // The generic cell rate algorithm: the next slot that is free moves on by what is taken.
  const move = database.prepare<object, { startMs: number }>(`
    INSERT INTO paces VALUES (@key, @nowMs + @takenMs)
    ON CONFLICT (key) DO UPDATE SET next_free_ms = @takenMs +
      CASE WHEN next_free_ms BETWEEN @nowMs AND @latestMs THEN next_free_ms ELSE @nowMs END
    RETURNING next_free_ms - @takenMs AS startMs`)
  const see = database.prepare<object>(
    'INSERT OR REPLACE INTO sharers VALUES (@key, @process, @nowMs)',
  )
  const forget = database.prepare<object>(
    'DELETE FROM sharers WHERE seen_ms NOT BETWEEN @nowMs - @sharesForMs AND @nowMs',
  )
  const count = database
    .prepare<object, number>('SELECT count(*) FROM sharers WHERE key = @key')
    .pluck()
  const take = database.transaction((order: Parameters<PaceFile['take']>[0]): TakenSlots => {
    const { key, process, nowMs, slots, slotMs } = order
    const latestMs = nowMs + LONGEST_AHEAD_MS + MOST_SLOTS_AHEAD * slotMs
    const { startMs } = move.get({ key, nowMs, latestMs, takenMs: slots * slotMs })!
    see.run({ key, process, nowMs })
    forget.run({ nowMs, sharesForMs: SHARES_FOR_MS })
    return { startMs, sharers: count.get({ key })! }
  })
  return { take: order => take.immediate(order), close: () => void database.close() }
}

const BROKEN = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']

/** One that is only busy is left alone: others share it, and would go on with a removed file. */
function openOrMakeAnew(path: string): Sqlite.Database {
  try {
    return open(path)
  } catch (error) {
    if (!BROKEN.includes((error as { code?: string }).code ?? '')) throw error
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
    return open(path)
  }
}

/** Without waiting for the disk: a crash of the machine may take it, which is no loss. */
function open(path: string): Sqlite.Database {
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = OFF')
    database.exec(TABLES)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
