import Database from 'better-sqlite3'
import type { JournalEntry } from './journal/entry.ts'
import type { AccountingSettings } from './journal/settings.ts'
import type { Manifest } from './manifest.ts'

/** Other commands may be writing a large window; they get this long before we give up. */
const BUSY_TIMEOUT_MS = 120_000

/** The numbers of a range are those of its states, whatever folder they are written to. */
export interface KnownState {
  revision: number
  /** Undefined where only a manifest tells of it that knew no states. */
  state: string | undefined
}

/** An entry as it was posted, and the settings it was made by. */
export interface PostedEntry extends JournalEntry {
  settings: AccountingSettings | undefined
}

/** A file that was given out, as `tillage files` tells of it. */
export interface GivenFile {
  store: string
  from: string
  to: string
  dataset: string
  format: string
  revision: number
  addition: number
  rows: number
  sha256: string
  /** Absolute. */
  path: string
}

/**
 * What was given out, in the database beside the rows: folders may be moved, deleted or be others
 * (`--out`), and numbers and posted entries must hold nevertheless.
 */
export interface Memory {
  newestState: (range: Range, stream: string) => KnownState | undefined
  rememberState: (range: Range, stream: string, known: { revision: number; state: string }) => void
  /** Oldest first; undefined where no journal was posted. */
  posted: (store: string, day: string) => PostedEntry[] | undefined
  /** The revisions for which a format's file was written, oldest first. */
  journalFiles: (store: string, day: string, format: string) => number[]
  /** All of a posting or nothing. */
  post: (store: string, day: string, posting: Posting) => void
  /** Entries that are dated in this range of days, whichever day they are about. */
  postedOn: (store: string, dates: { from: string; to: string }) => JournalEntry[]
  rememberFiles: (files: readonly GivenFile[]) => void
  recordPeriod: (event: PeriodEvent) => void
  close: () => void
}

/** Somebody closed or reopened the books of a month. Events are added and never changed. */
export interface PeriodEvent {
  store: string
  /** `yyyy-MM`. */
  month: string
  event: 'closed' | 'reopened'
  by: string
  /** Of what was reopened. */
  reason: string | null
  at: string
}

export interface Posting {
  entries: readonly PostedEntry[]
  files: readonly { format: string; revision: number }[]
  /** Entries of the same number are replaced: somebody says that nothing was imported yet. */
  reissued?: string | undefined
  at: string
}

type Range = Pick<Manifest, 'store' | 'days'>

const TABLES = `
CREATE TABLE IF NOT EXISTS revisions (
  store_id TEXT NOT NULL, from_day TEXT NOT NULL, to_day TEXT NOT NULL, stream TEXT NOT NULL,
  revision INTEGER NOT NULL, state TEXT NOT NULL,
  PRIMARY KEY (store_id, from_day, to_day, stream, revision)
) STRICT;
CREATE TABLE IF NOT EXISTS journal_entries (
  store_id TEXT NOT NULL, day TEXT NOT NULL, number TEXT NOT NULL, place INTEGER NOT NULL,
  revision INTEGER NOT NULL, entry TEXT NOT NULL, settings TEXT, posted_at TEXT NOT NULL,
  reissued TEXT,
  PRIMARY KEY (store_id, day, number)
) STRICT;
CREATE TABLE IF NOT EXISTS journal_files (
  store_id TEXT NOT NULL, day TEXT NOT NULL, format TEXT NOT NULL, revision INTEGER NOT NULL,
  PRIMARY KEY (store_id, day, format, revision)
) STRICT;
CREATE TABLE IF NOT EXISTS given_files (
  path TEXT PRIMARY KEY, store_id TEXT NOT NULL, from_day TEXT NOT NULL, to_day TEXT NOT NULL,
  dataset TEXT NOT NULL, format TEXT NOT NULL, revision INTEGER NOT NULL,
  addition INTEGER NOT NULL, rows INTEGER NOT NULL, sha256 TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS period_events (
  id INTEGER PRIMARY KEY, store_id TEXT NOT NULL, month TEXT NOT NULL, event TEXT NOT NULL,
  by_name TEXT NOT NULL, reason TEXT, at TEXT NOT NULL
) STRICT;`

/** Amounts are whole numbers beyond what JSON's numbers hold: they are texts there. */
const entryText = (entry: PostedEntry): string =>
  JSON.stringify({ ...entry, settings: undefined }, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )

const entryOf = (text: string): JournalEntry =>
  JSON.parse(text, (key, value: unknown) =>
    key === 'amount' && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value,
  ) as JournalEntry

/** `undefined` where the database cannot be written: then the folder alone remembers. */
export function openMemory(databasePath: string): Memory | undefined {
  let database: Database.Database
  try {
    database = new Database(databasePath, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true })
    database.exec(TABLES)
  } catch {
    return undefined
  }
  const close = (): void => {
    database.close()
  }
  return {
    ...statesIn(database),
    ...postingsIn(database),
    ...filesIn(database),
    ...periodsIn(database),
    close,
  }
}

function statesIn(database: Database.Database): Pick<Memory, 'newestState' | 'rememberState'> {
  const where = 'store_id = ? AND from_day = ? AND to_day = ? AND stream = ?'
  return {
    newestState: ({ store, days }, stream) =>
      database
        .prepare(
          `SELECT revision, state FROM revisions WHERE ${where} ORDER BY revision DESC LIMIT 1`,
        )
        .get(store, days.from, days.to, stream) as KnownState | undefined,
    rememberState: ({ store, days }, stream, { revision, state }) =>
      void database
        .prepare('INSERT OR REPLACE INTO revisions VALUES (?, ?, ?, ?, ?, ?)')
        .run(store, days.from, days.to, stream, revision, state),
  }
}

function postingsIn(
  database: Database.Database,
): Pick<Memory, 'posted' | 'postedOn' | 'journalFiles' | 'post'> {
  return {
    postedOn: (store, { from, to }) =>
      (
        database
          .prepare(
            `SELECT entry FROM journal_entries
             WHERE store_id = ? AND entry ->> '$.date' >= ? AND entry ->> '$.date' < ?`,
          )
          .pluck()
          .all(store, from, to) as string[]
      ).map(entryOf),
    posted: (store, day) => {
      const rows = database
        .prepare(
          'SELECT entry, settings FROM journal_entries WHERE store_id = ? AND day = ? ORDER BY place',
        )
        .all(store, day) as { entry: string; settings: string | null }[]
      if (rows.length === 0) return undefined
      return rows.map(({ entry, settings }) => ({
        ...entryOf(entry),
        settings: settings === null ? undefined : (JSON.parse(settings) as AccountingSettings),
      }))
    },
    journalFiles: (store, day, format) =>
      database
        .prepare(
          'SELECT revision FROM journal_files WHERE store_id = ? AND day = ? AND format = ? ORDER BY revision',
        )
        .pluck()
        .all(store, day, format) as number[],
    post: (store, day, posting) =>
      database.transaction(() => writePosting(database, { store, day, posting })).immediate(),
  }
}

function writePosting(
  database: Database.Database,
  { store, day, posting }: { store: string; day: string; posting: Posting },
): void {
  const count = database
    .prepare('SELECT count(*) FROM journal_entries WHERE store_id = ? AND day = ?')
    .pluck()
    .get(store, day) as number
  const insert = database.prepare(
    `INSERT INTO journal_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, day, number) DO UPDATE SET
       entry = excluded.entry, settings = excluded.settings, reissued = excluded.reissued`,
  )
  for (const [index, entry] of posting.entries.entries())
    insert.run(
      store,
      day,
      entry.number,
      count + index,
      entry.revision,
      entryText(entry),
      entry.settings === undefined ? null : JSON.stringify(entry.settings),
      posting.at,
      posting.reissued ?? null,
    )
  const file = database.prepare('INSERT OR IGNORE INTO journal_files VALUES (?, ?, ?, ?)')
  for (const { format, revision } of posting.files) file.run(store, day, format, revision)
}

function filesIn(database: Database.Database): Pick<Memory, 'rememberFiles'> {
  return {
    rememberFiles: files =>
      database
        .transaction(() => {
          const insert = database.prepare(
            'INSERT OR REPLACE INTO given_files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
          )
          for (const one of files)
            insert.run(
              one.path,
              one.store,
              one.from,
              one.to,
              one.dataset,
              one.format,
              one.revision,
              one.addition,
              one.rows,
              one.sha256,
            )
        })
        .immediate(),
  }
}

function periodsIn(database: Database.Database): Pick<Memory, 'recordPeriod'> {
  return {
    recordPeriod: ({ store, month, event, by, reason, at }) =>
      void database
        .prepare(
          `INSERT INTO period_events (store_id, month, event, by_name, reason, at)
           VALUES (?, ?, ?, ?, ?, ?)`,
        )
        .run(store, month, event, by, reason, at),
  }
}
