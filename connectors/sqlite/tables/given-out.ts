import { existsSync } from 'node:fs'
import { basename, resolve, sep } from 'node:path'
import type Database from 'better-sqlite3'
import { DatabaseError } from '../../../errors.ts'
import type {
  GivenFile,
  GivenOut,
  KeptPosting,
  PeriodEvent,
  PostedDay,
} from '../../destination/given-out.ts'
import { openConnection } from '../connection/open-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { createNoteFindings } from './findings.ts'
import { postingActsIn } from './posting-acts.ts'
import { appendEvidence, appendManifest } from './written-evidence.ts'

/**
 * The tables of what was given out, on a connection of their own. Fails where the database cannot
 * be written, unless it is only read: nothing may be given out that nobody would remember.
 */
export function openGivenOut(path: string, options: { readonly?: boolean } = {}): GivenOut {
  if (!existsSync(path))
    throw new DatabaseError('DATABASE_BROKEN', `there is no database at ${path}`, {
      remedy: 'Check the path in tillage.yaml; a sync creates the database.',
    })
  const database = openConnection(path, options)
  // A power loss must not forget what stands in a file that somebody may have imported.
  database.pragma('synchronous = FULL')
  try {
    if (options.readonly !== true) database.exec('BEGIN IMMEDIATE; ROLLBACK')
  } catch (cause) {
    database.close()
    throw asDatabaseError(path, cause)
  }
  return {
    ...statesIn(database),
    ...postingsIn(database),
    ...postedDaysIn(database),
    ...acceptedIn(database),
    ...filesIn(database),
    ...namesIn(database),
    ...periodsIn(database),
    ...postingActsIn(database),
    noteFindings: createNoteFindings(database),
    close() {
      database.close()
    },
  }
}

function statesIn(database: Database.Database): Pick<GivenOut, 'newestState' | 'rememberState'> {
  const newest = database.prepare(
    `SELECT revision, state FROM revisions
     WHERE store_id = ? AND from_day = ? AND to_day = ? AND stream = ?
     ORDER BY revision DESC LIMIT 1`,
  )
  const insert = database.prepare('INSERT OR REPLACE INTO revisions VALUES (?, ?, ?, ?, ?, ?)')
  return {
    newestState: ({ store, days }, stream) =>
      newest.get(store, days.from, days.to, stream) as { revision: number; state: string },
    rememberState: ({ store, days }, stream, { revision, state }) =>
      void insert.run(store, days.from, days.to, stream, revision, state),
  }
}

function postingsIn(
  database: Database.Database,
): Pick<
  GivenOut,
  | 'posted'
  | 'revisedSince'
  | 'postedOn'
  | 'settingsByDay'
  | 'entriesNumbered'
  | 'journalFiles'
  | 'post'
> {
  return {
    entriesNumbered: number =>
      database
        .prepare(
          `SELECT store_id AS store, day, number FROM journal_entries
           WHERE lower(number) = lower(?) ORDER BY store_id, day`,
        )
        .all(number) as ReturnType<GivenOut['entriesNumbered']>,
    settingsByDay: store =>
      new Map(
        database
          .prepare(
            `SELECT day, settings FROM (SELECT day, settings, max(place) FROM journal_entries
               WHERE store_id = ? GROUP BY day)
             WHERE settings IS NOT NULL ORDER BY day`,
          )
          .raw()
          .all(store) as [string, string][],
      ),
    posted: (store, day) =>
      database
        .prepare(
          `SELECT number, revision, entry, settings FROM journal_entries
           WHERE store_id = ? AND day = ? ORDER BY place`,
        )
        .all(store, day) as ReturnType<GivenOut['posted']>,
    revisedSince: (store, since) =>
      database
        .prepare(
          `SELECT day, number, entry, posted_at AS at FROM journal_entries AS e
           WHERE store_id = ? AND posted_at >= ? AND EXISTS (SELECT 1 FROM journal_entries AS b
             WHERE b.store_id = e.store_id AND b.day = e.day AND b.place < e.place)
           ORDER BY posted_at, day`,
        )
        .all(store, since) as ReturnType<GivenOut['revisedSince']>,
    postedOn: (store, { from, to }) =>
      database
        .prepare(
          `SELECT entry FROM journal_entries
           WHERE store_id = ? AND entry ->> '$.date' >= ? AND entry ->> '$.date' < ?`,
        )
        .pluck()
        .all(store, from, to) as string[],
    journalFiles: (store, day, format) =>
      database
        .prepare(
          `SELECT revision FROM journal_files
           WHERE store_id = ? AND day = ? AND format = ? ORDER BY revision`,
        )
        .pluck()
        .all(store, day, format) as number[],
    post: (store, day, posting) =>
      database.transaction(() => writePosting(database, { store, day, posting })).immediate(),
  }
}

function writePosting(
  database: Database.Database,
  { store, day, posting }: { store: string; day: string; posting: KeptPosting },
): void {
  const count = database
    .prepare('SELECT count(*) FROM journal_entries WHERE store_id = ? AND day = ?')
    .pluck()
    .get(store, day) as number
  const insert = database.prepare(
    `INSERT INTO journal_entries
       (store_id, day, number, place, revision, entry, settings, posted_at, reissued, reason)
     VALUES (@store, @day, @number, @place, @revision, @entry, @settings, @at, @reissued, @reason)
     ON CONFLICT (store_id, day, number) DO UPDATE SET
       entry = excluded.entry, settings = excluded.settings, reissued = excluded.reissued`,
  )
  const { at, reissued = null, reason = null } = posting
  posting.entries.forEach((entry, index) =>
    insert.run({ store, day, ...entry, place: count + index, at, reissued, reason }),
  )
  const file = database.prepare('INSERT OR IGNORE INTO journal_files VALUES (?, ?, ?, ?)')
  for (const { format, revision } of posting.files) file.run(store, day, format, revision)
}

function postedDaysIn(
  database: Database.Database,
): Pick<GivenOut, 'rememberPosted' | 'postedDays'> {
  return {
    rememberPosted: (store, posted) =>
      void database
        .prepare(
          `INSERT OR REPLACE INTO posted_days (store_id, day, batch, time_zone, day_starts_at)
           VALUES (@store, @day, @batch, @timeZone, @dayStartsAt)`,
        )
        .run({ store, ...posted }),
    postedDays: store =>
      database
        .prepare(
          `SELECT day, batch, time_zone AS timeZone, day_starts_at AS dayStartsAt
           FROM posted_days WHERE store_id = ? ORDER BY day`,
        )
        .all(store) as PostedDay[],
  }
}

function acceptedIn(database: Database.Database): Pick<GivenOut, 'accepted' | 'accept'> {
  const where = 'WHERE store_id = ? AND day = ?'
  return {
    accepted: (store, day) =>
      database
        .prepare(
          `SELECT transaction_id AS transactionId, detail FROM accepted_differences ${where}
           ORDER BY rowid`,
        )
        .all(store, day) as ReturnType<GivenOut['accepted']>,
    accept: (store, day, differences) =>
      database
        .transaction(() => {
          database.prepare(`DELETE FROM accepted_differences ${where}`).run(store, day)
          const insert = database.prepare('INSERT INTO accepted_differences VALUES (?, ?, ?, ?)')
          for (const { transactionId, detail } of differences)
            insert.run(store, day, transactionId, detail)
        })
        .immediate(),
  }
}

function filesIn(
  database: Database.Database,
): Pick<GivenOut, 'rememberFiles' | 'keepManifest' | 'forgetFiles' | 'files'> {
  const insert = database.prepare(
    `INSERT OR REPLACE INTO given_files
       (path, store_id, from_day, to_day, dataset, format, revision, addition, rows, sha256)
     VALUES (@path, @store, @from, @to, @dataset, @format, @revision, @addition, @rows, @sha256)`,
  )
  return {
    rememberFiles: files =>
      database.transaction(() => files.forEach(file => insert.run(file))).immediate(),
    keepManifest: manifest =>
      database.transaction(() => appendManifest(database, manifest)).immediate(),
    files: () =>
      database
        .prepare(
          `SELECT path, store_id AS store, from_day AS "from", to_day AS "to", dataset, format,
             revision, addition, rows, sha256
           FROM given_files WHERE dataset <> 'manifest'`,
        )
        .all() as GivenFile[],
    forgetFiles: paths =>
      database
        .transaction(() => {
          const remove = database.prepare('DELETE FROM given_files WHERE path = ?')
          for (const path of paths) remove.run(path)
        })
        .immediate(),
  }
}

/** What names were given out for, the newest where a name was given for several. */
function namesIn(database: Database.Database): Pick<GivenOut, 'givenIn' | 'givenOf'> {
  type Named = readonly { path: string; sha256: string }[]
  return {
    givenIn(folder) {
      const prefix = `${resolve(folder)}${sep}`
      const found = database
        .prepare('SELECT path, sha256 FROM given_files WHERE path >= ? AND path < ?')
        .all(prefix, `${prefix}\u{10FFFF}`) as Named
      return new Map(found.map(({ path, sha256 }) => [path.slice(prefix.length), sha256]))
    },
    givenOf({ store, days }, datasets) {
      const found = database
        .prepare(
          `SELECT path, sha256 FROM given_files
           WHERE store_id = ? AND from_day = ? AND to_day = ?
             AND dataset IN (SELECT value FROM json_each(?)) ORDER BY rowid`,
        )
        .all(store, days.from, days.to, JSON.stringify(datasets)) as Named
      return new Map(found.map(({ path, sha256 }) => [basename(path), sha256]))
    },
  }
}

function periodsIn(database: Database.Database): Pick<GivenOut, 'recordPeriod' | 'periods'> {
  return {
    recordPeriod: event => database.transaction(() => recordPeriod(database, event)).immediate(),
    periods: store =>
      database
        .prepare(
          `SELECT store_id AS store, month, event, by_name AS by, reason, at
           FROM period_events WHERE store_id = coalesce(?, store_id) ORDER BY id`,
        )
        .all(store ?? null) as ReturnType<GivenOut['periods']>,
  }
}

function recordPeriod(database: Database.Database, period: PeriodEvent): void {
  const { month, event, by } = period
  database
    .prepare(
      `INSERT INTO period_events (store_id, month, event, by_name, reason, at)
       VALUES (@store, @month, @event, @by, @reason, @at)`,
    )
    .run(period)
  appendEvidence(database, { kind: 'period', month, event, by })
}
