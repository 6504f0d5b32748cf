import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Freshness, Hints } from '../../destination/hints.ts'
import { hintsOn } from '../../sql/hints.ts'
import { sqlOn } from '../connection/sql-connection.ts'

const TABLES = `
  CREATE TABLE IF NOT EXISTS hints (
    store_id TEXT NOT NULL, stream TEXT NOT NULL, id TEXT NOT NULL,
    first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL, PRIMARY KEY (store_id, stream, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS freshness (
    store_id TEXT NOT NULL, stream TEXT NOT NULL,
    last_hint_ms INTEGER NOT NULL, last_read_ms INTEGER, last_range_ms INTEGER,
    PRIMARY KEY (store_id, stream)
  ) STRICT;`

/**
 * A small file of its own beside the database: an event is answered within milliseconds, also while
 * a window is committed.
 */
const hintsFileOf = (path: string): string => `${path}.hints`

/** The file is made when the first hint comes, or is asked for. */
export function openHints(path: string): Hints {
  let opened: Hints | undefined
  const hints = (): Hints => (opened ??= hintsOn(sqlOn(openFile(hintsFileOf(path)))))
  return {
    keep: async (...asked) => hints().keep(...asked),
    waitingStores: async () => hints().waitingStores(),
    waiting: async (...asked) => hints().waiting(...asked),
    foldMany: async (...asked) => hints().foldMany(...asked),
    done: async (...asked) => hints().done(...asked),
    forget: async (...asked) => hints().forget(...asked),
    freshness: async () => hints().freshness(),
    close: async () => opened?.close(),
  }
}

/** Without making the file: where it is not there, no event has come. */
export async function readFreshness(path: string): Promise<Freshness[]> {
  if (!existsSync(hintsFileOf(path))) return []
  const hints = openHints(path)
  try {
    return await hints.freshness()
  } finally {
    await hints.close()
  }
}

function openFile(path: string): Sqlite.Database {
  const database = new Sqlite(path)
  try {
    database.pragma('journal_mode = WAL')
    database.exec(TABLES)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
