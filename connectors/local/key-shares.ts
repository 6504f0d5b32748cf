import { rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { databaseFiles } from '../../disk.ts'
import type { ChangeOfKept, KeyShare, KeyShares } from '../destination/key-shares.ts'

/** A statement on this file takes microseconds; whoever waits for longer goes on alone. */
const BUSY_TIMEOUT_MS = 1_000

const TABLE =
  'CREATE TABLE IF NOT EXISTS key_paces (key TEXT NOT NULL PRIMARY KEY, kept TEXT NOT NULL) STRICT'

/**
 * A small file of its own beside the database, so that no request waits for a window's commit. What
 * it holds is over within seconds: it is not backed up, and made anew where it cannot be read.
 */
export const paceFileOf = (localFiles: string): string => `${localFiles}.pace`

/** Shared by the processes of this machine, which have one clock. */
export function openKeyShares(localFiles: string): KeyShares {
  let file: PaceFile | undefined
  return {
    of(key) {
      const alone = shareAlone()
      return {
        async change(change) {
          try {
            file ??= openPaceFile(paceFileOf(localFiles))
            return file.change(key, change)
          } catch {
            // A full disk, say: what is read and written says so, and a limit is no reason to stop.
            return alone.change(change)
          }
        },
      }
    },
    close: () => file?.close(),
  }
}

/** Where there is nobody to share with. */
export function shareAlone(): KeyShare {
  let known: object | undefined
  return {
    async change(change) {
      const { kept, answer } = change(known, Date.now())
      known = kept
      return answer
    },
  }
}

interface PaceFile {
  change<Answer>(key: string, change: ChangeOfKept<Answer>): Answer
  close(): void
}

function openPaceFile(path: string): PaceFile {
  const database = openOrMakeAnew(path)
  const read = database
    .prepare<[string], string>('SELECT kept FROM key_paces WHERE key = ?')
    .pluck()
  const keep = database.prepare<[string, string]>('INSERT OR REPLACE INTO key_paces VALUES (?, ?)')
  const inTurn = database.transaction((key: string, change: ChangeOfKept<unknown>): unknown => {
    const text = read.get(key)
    const before = text === undefined ? undefined : (JSON.parse(text) as object)
    const { kept, answer } = change(before, Date.now())
    keep.run(key, JSON.stringify(kept))
    return answer
  })
  return {
    change: (...asked) => inTurn.immediate(...asked) as never,
    close: () => void database.close(),
  }
}

const BROKEN = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']

/** One that is only busy is left alone: others share it, and would go on with a removed file. */
function openOrMakeAnew(path: string): Sqlite.Database {
  try {
    return open(path)
  } catch (error) {
    if (!BROKEN.includes((error as { code?: string }).code ?? '')) throw error
    for (const file of databaseFiles(path)) rmSync(file, { force: true })
    return open(path)
  }
}

/** Without waiting for the disk: a crash of the machine may take it, which is no loss. */
function open(path: string): Sqlite.Database {
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = OFF')
    database.exec(TABLE)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
