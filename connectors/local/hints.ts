import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Freshness, Hint, Hints, NewHint } from '../destination/hints.ts'

/** Its commits are milliseconds; who waits for longer tells the API to send the event again. */
const BUSY_TIMEOUT_MS = 2_000

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
export const hintsFileOf = (localFiles: string): string => `${localFiles}.hints`

/** The file is made when the first hint comes, or is asked for. */
export function openHints(localFiles: string): Hints {
  let opened: ReturnType<typeof openFile> | undefined
  const file = (): ReturnType<typeof openFile> => (opened ??= openFile(hintsFileOf(localFiles)))
  return {
    keep: (hints, nowMs) => file().keep.immediate(hints, nowMs),
    waitingStores: () => file().stores.all(),
    waiting: (store, order) =>
      file()
        .waiting.all({ store, ...order })
        .map(asHint),
    foldMany: (store, most) => file().foldMany.immediate(store, most),
    done: (hints, nowMs) => file().done.immediate(hints, nowMs),
    forget: hints => file().forget.immediate(hints),
    freshness: () => file().freshness.all().map(asFreshness),
    close: () => opened?.database.close(),
  }
}

/** Without making the file: where it is not there, no event has come. */
export function readFreshness(localFiles: string): Freshness[] {
  if (!existsSync(hintsFileOf(localFiles))) return []
  const hints = openHints(localFiles)
  try {
    return hints.freshness()
  } finally {
    hints.close()
  }
}

interface HintRow {
  store_id: string
  stream: string
  id: string
  first_ms: number
  last_ms: number
}

interface FreshnessRow {
  store_id: string
  stream: string
  last_hint_ms: number
  last_read_ms: number | null
  waiting_since_ms: number | null
}

function openFile(path: string) {
  const database = openDatabase(path)
  const insert = database.prepare(`
    INSERT INTO hints VALUES (@store, @stream, @id, @nowMs, @nowMs)
    ON CONFLICT DO UPDATE SET last_ms = max(last_ms + 1, excluded.last_ms)`)
  const hinted = database.prepare(`
    INSERT INTO freshness VALUES (@store, @stream, @nowMs, NULL, NULL)
    ON CONFLICT DO UPDATE SET last_hint_ms = excluded.last_hint_ms`)
  const read = database.prepare(`
    UPDATE freshness SET last_read_ms = @nowMs,
      last_range_ms = CASE @id WHEN '' THEN @nowMs ELSE last_range_ms END
    WHERE store_id = @store AND stream = @stream`)
  const remove = database.prepare(`
    DELETE FROM hints
    WHERE store_id = @store AND stream = @stream AND id = @id AND last_ms = @lastMs`)
  const removeAll = (hints: readonly Hint[]): void =>
    hints.forEach(hint => remove.run({ ...hint, id: hint.id ?? '' }))
  return {
    database,
    stores: database.prepare<[], string>('SELECT DISTINCT store_id FROM hints').pluck(),
    waiting: database.prepare<object, HintRow>(`
      SELECT h.* FROM hints h JOIN freshness f USING (store_id, stream)
      WHERE store_id = @store AND (id <> '' OR coalesce(last_range_ms, 0) <= @rangesSinceMs)
      ORDER BY first_ms LIMIT @most`),
    freshness: database.prepare<[], FreshnessRow>(`
      SELECT f.*, (SELECT min(first_ms) FROM hints h
        WHERE h.store_id = f.store_id AND h.stream = f.stream) AS waiting_since_ms
      FROM freshness f ORDER BY store_id, stream`),
    keep: database.transaction((hints: readonly NewHint[], nowMs: number) => {
      for (const { id = '', ...hint } of hints) {
        insert.run({ ...hint, id, nowMs })
        hinted.run({ ...hint, nowMs })
      }
    }),
    foldMany: prepareFold(database),
    done: database.transaction((hints: readonly Hint[], nowMs: number) => {
      removeAll(hints)
      for (const { id = '', store, stream } of hints) read.run({ id, store, stream, nowMs })
    }),
    forget: database.transaction(removeAll),
  }
}

function prepareFold(database: Sqlite.Database) {
  const crowded = database.prepare<
    [string, number],
    { stream: string; first: number; last: number }
  >(`
    SELECT stream, min(first_ms) AS first, max(last_ms) AS last FROM hints
    WHERE store_id = ? GROUP BY stream HAVING count(*) > ?`)
  const clear = database.prepare('DELETE FROM hints WHERE store_id = ? AND stream = ?')
  const insert = database.prepare(`INSERT INTO hints VALUES (?, ?, '', ?, ?)`)
  return database.transaction((store: string, most: number) => {
    for (const { stream, first, last } of crowded.all(store, most)) {
      clear.run(store, stream)
      insert.run(store, stream, first, last)
    }
  })
}

const asHint = ({ store_id: store, stream, id, first_ms, last_ms }: HintRow): Hint => ({
  store,
  stream,
  ...(id === '' ? {} : { id }),
  firstMs: first_ms,
  lastMs: last_ms,
})

const asFreshness = (row: FreshnessRow): Freshness => ({
  store: row.store_id,
  stream: row.stream,
  lastHintMs: row.last_hint_ms,
  lastReadMs: row.last_read_ms ?? undefined,
  waitingSinceMs: row.waiting_since_ms ?? undefined,
})

function openDatabase(path: string): Sqlite.Database {
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.pragma('journal_mode = WAL')
    // What was answered is on the disk, whatever happens to the machine.
    database.pragma('synchronous = FULL')
    database.exec(TABLES)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
