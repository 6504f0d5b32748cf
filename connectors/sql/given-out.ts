import { basename, resolve, sep } from 'node:path'
import { addDays } from '../../calendar/days.ts'
import { PROMISED } from '../destination/given-out.ts'
import type {
  AcceptedDifference,
  DatedEntry,
  GivenFile,
  GivenOut,
  KeptEntry,
  KeptPosting,
  KnownState,
  PeriodEvent,
  PostedDay,
  PostingAct,
  RevisedEntry,
} from '../destination/given-out.ts'
import type { Sql, SqlConnection } from './connection.ts'
import { firstOf } from './connection.ts'
import { noteFindings } from './findings.ts'
import { runSteps } from './steps.ts'
import { appendEvidence, appendManifest, manifestsAfter } from './written-evidence.ts'

/** The tables of what was given out, on a connection of their own, which is closed with them. */
export const givenOutOn = (sql: SqlConnection): GivenOut => ({
  lock: undefined,
  ...statesIn(sql),
  ...entriesIn(sql),
  ...postedIn(sql),
  ...postedDaysIn(sql),
  ...acceptedIn(sql),
  ...filesIn(sql),
  ...namesIn(sql),
  ...periodsIn(sql),
  ...postingActsIn(sql),
  noteFindings: (about, findings) =>
    sql.write(inside => runSteps(inside, noteFindings(about, findings))),
  close: () => sql.close(),
})

const statesIn = (
  sql: SqlConnection,
): Pick<GivenOut, 'newestState' | 'newestRevisions' | 'rememberState'> => ({
  newestState: ({ store, days }, stream) =>
    firstOf<KnownState>(
      sql,
      `SELECT revision, state FROM revisions
       WHERE store_id = @store AND from_day = @from AND to_day = @to AND stream = @stream
       ORDER BY revision DESC LIMIT 1`,
      { store, ...days, stream },
    ),
  async newestRevisions(store, days, stream) {
    const known = await sql.all<{ day: string; until: string; revision: number }>(
      `SELECT from_day AS day, to_day AS until, max(revision) AS revision FROM revisions
       WHERE store_id = @store AND from_day >= @from AND from_day < @to AND stream = @stream
       GROUP BY from_day, to_day`,
      { store, ...days, stream },
    )
    const ofOneDay = known.filter(({ day, until }) => until === addDays(day, 1))
    return new Map(ofOneDay.map(({ day, revision }) => [day, revision]))
  },
  async rememberState({ store, days }, stream, { revision, state }) {
    await sql.run(
      `INSERT INTO revisions (store_id, from_day, to_day, stream, revision, state)
       VALUES (@store, @from, @to, @stream, @revision, @state)
       ON CONFLICT (store_id, from_day, to_day, stream, revision)
       DO UPDATE SET state = excluded.state`,
      { store, ...days, stream, revision, state },
    )
  },
})

/** By the newest entry of each day. */
const SETTINGS = `
  SELECT day, settings FROM journal_entries AS e
  WHERE store_id = @store AND settings IS NOT NULL AND place =
    (SELECT max(place) FROM journal_entries AS o
     WHERE o.store_id = e.store_id AND o.day = e.day)`

const entriesIn = (
  sql: SqlConnection,
): Pick<
  GivenOut,
  'entriesNumbered' | 'newestSettings' | 'settingsByDay' | 'revisedSince' | 'postedOn'
> => ({
  entriesNumbered: number =>
    sql.all(
      `SELECT store_id AS store, day, number FROM journal_entries
       WHERE lower(number) = lower(@number) ORDER BY store_id, day`,
      { number },
    ),
  async newestSettings(store) {
    const statement = `${SETTINGS} ORDER BY day DESC LIMIT 1`
    return (await firstOf<{ settings: string }>(sql, statement, { store }))?.settings
  },
  async settingsByDay(store) {
    const rows = await sql.all<{ day: string; settings: string }>(`${SETTINGS} ORDER BY day`, {
      store,
    })
    return new Map(rows.map(({ day, settings }) => [day, settings]))
  },
  revisedSince: (store, since) =>
    sql.all<RevisedEntry>(
      `SELECT day, number, entry, posted_at AS at FROM journal_entries
       WHERE store_id = @store AND place > 0 AND posted_at >= @since
       ORDER BY posted_at, day`,
      { store, since },
    ),
  async postedOn(store, { from, to }) {
    const rows = await sql.all<{ entry: string }>(
      `SELECT entry FROM journal_entries
       WHERE store_id = @store AND entry ->> 'date' >= @from AND entry ->> 'date' < @to
       ORDER BY day, place`,
      { store, from, to },
    )
    return rows.map(({ entry }) => entry)
  },
})

/** The journal of a day. */
const postedIn = (
  sql: SqlConnection,
): Pick<GivenOut, 'posted' | 'entriesOf' | 'journalFiles' | 'post'> => ({
  posted: (store, day) =>
    sql.all<KeptEntry>(
      `SELECT number, revision, entry, settings FROM journal_entries
       WHERE store_id = @store AND day = @day ORDER BY place`,
      { store, day },
    ),
  entriesOf: (store, days) =>
    sql.all<DatedEntry>(
      `SELECT day, entry FROM journal_entries
       WHERE store_id = @store AND day >= @from AND day < @to ORDER BY day, place`,
      { store, ...days },
    ),
  journalFiles: (store, days) =>
    sql.all(
      `SELECT day, format, revision FROM journal_files
       WHERE store_id = @store AND day >= @from AND day < @to ORDER BY day, revision`,
      { store, ...days },
    ),
  post: (store, day, posting) => sql.write(inside => writePosting(inside, { store, day, posting })),
})

async function writePosting(
  sql: Sql,
  { store, day, posting }: { store: string; day: string; posting: KeptPosting },
): Promise<void> {
  const [known] = await sql.all<{ count: number }>(
    'SELECT count(*) AS count FROM journal_entries WHERE store_id = @store AND day = @day',
    { store, day },
  )
  const { at, reissued = null, reason = null } = posting
  for (const [index, entry] of posting.entries.entries())
    await sql.run(
      `INSERT INTO journal_entries
         (store_id, day, number, place, revision, entry, settings, posted_at, reissued, reason)
       VALUES (@store, @day, @number, @place, @revision, @entry, @settings, @at, @reissued, @reason)
       ON CONFLICT (store_id, day, number) DO UPDATE SET
         entry = excluded.entry, settings = excluded.settings, reissued = excluded.reissued`,
      { store, day, ...entry, place: known!.count + index, at, reissued, reason },
    )
  for (const file of posting.files)
    await sql.run(
      `INSERT INTO journal_files (store_id, day, format, revision)
       VALUES (@store, @day, @format, @revision) ON CONFLICT DO NOTHING`,
      { store, day, ...file },
    )
}

const postedDaysIn = (sql: SqlConnection): Pick<GivenOut, 'rememberPosted' | 'postedDays'> => ({
  async rememberPosted(store, posted) {
    await sql.run(
      `INSERT INTO posted_days (store_id, day, batch, time_zone, day_starts_at)
       VALUES (@store, @day, @batch, @timeZone, @dayStartsAt)
       ON CONFLICT (store_id, day) DO UPDATE SET batch = excluded.batch,
         time_zone = excluded.time_zone, day_starts_at = excluded.day_starts_at`,
      { store, ...posted },
    )
  },
  postedDays: (store, days) =>
    sql.all<PostedDay>(
      `SELECT day, batch, time_zone AS "timeZone", day_starts_at AS "dayStartsAt"
       FROM posted_days WHERE store_id = @store
         ${days === undefined ? '' : 'AND day >= @from AND day < @to'} ORDER BY day`,
      { store, ...days },
    ),
})

const acceptedIn = (sql: SqlConnection): Pick<GivenOut, 'accepted' | 'accept'> => ({
  accepted: (store, day) =>
    sql.all<AcceptedDifference>(
      `SELECT transaction_id AS "transactionId", detail FROM accepted_differences
       WHERE store_id = @store AND day = @day ORDER BY rowid`,
      { store, day },
    ),
  accept: (store, day, differences) =>
    sql.write(async inside => {
      await inside.run('DELETE FROM accepted_differences WHERE store_id = @store AND day = @day', {
        store,
        day,
      })
      for (const { transactionId, detail } of differences)
        await inside.run(
          `INSERT INTO accepted_differences (store_id, day, transaction_id, detail)
           VALUES (@store, @day, @transactionId, @detail)`,
          { store, day, transactionId, detail },
        )
    }),
})

const filesIn = (
  sql: SqlConnection,
): Pick<
  GivenOut,
  | 'rememberFiles'
  | 'keepManifest'
  | 'keepPromises'
  | 'manifests'
  | 'unfinished'
  | 'forgetFiles'
  | 'files'
> => ({
  rememberFiles: files =>
    sql.write(async inside => {
      for (const file of files) await rememberFile(inside, file)
    }),
  keepManifest: manifest => sql.write(inside => appendManifest(inside, manifest)),
  manifests: after => manifestsAfter(sql, after),
  async keepPromises({ store, days }) {
    await sql.run(
      `UPDATE given_files SET format = 'json' WHERE dataset = 'manifest' AND format = @promised
         AND store_id = @store AND from_day = @from AND to_day = @to`,
      { store, ...days, promised: PROMISED },
    )
  },
  async unfinished(store, { from, to }) {
    const rows = await sql.all<{ day: string; next: string }>(
      `SELECT DISTINCT from_day AS day, to_day AS next FROM given_files
       WHERE store_id = @store AND dataset = 'manifest' AND format = @promised
         AND from_day >= @from AND from_day < @to ORDER BY from_day`,
      { store, from, to, promised: PROMISED },
    )
    return rows.filter(({ day, next }) => addDays(day, 1) === next).map(({ day }) => day)
  },
  files: store =>
    sql.all<GivenFile>(
      `SELECT path, store_id AS store, from_day AS "from", to_day AS "to", dataset, format,
         revision, addition, rows, sha256
       FROM given_files WHERE dataset <> 'manifest'
         ${store === undefined ? '' : 'AND store_id = @store'} ORDER BY rowid`,
      { store },
    ),
  forgetFiles: paths =>
    sql.write(async inside => {
      for (const path of paths)
        await inside.run('DELETE FROM given_files WHERE path = @path', { path })
    }),
})

/** Given out once more, it is the newest. */
async function rememberFile(sql: Sql, file: GivenFile): Promise<void> {
  await sql.run('DELETE FROM given_files WHERE path = @path', file)
  await sql.run(
    `INSERT INTO given_files
       (path, store_id, from_day, to_day, dataset, format, revision, addition, rows, sha256)
     VALUES (@path, @store, @from, @to, @dataset, @format, @revision, @addition, @rows, @sha256)`,
    file,
  )
}

/** Of a folder in a bucket, and not on a disk. */
const isAddress = (folder: string): boolean => folder.includes('://')

type Named = Pick<GivenFile, 'path' | 'sha256' | 'dataset'>

/** What names were given out for, the newest where a name was given for several. */
const namesIn = (sql: SqlConnection): Pick<GivenOut, 'givenIn' | 'givenOf'> => ({
  async givenIn(folder) {
    const prefix = isAddress(folder) ? `${folder}/` : `${resolve(folder)}${sep}`
    const found = await sql.all<Named>(
      'SELECT path, sha256 FROM given_files WHERE path >= @prefix AND path < @end',
      { prefix, end: `${prefix}\u{10FFFF}` },
    )
    return new Map(found.map(({ path, sha256 }) => [path.slice(prefix.length), sha256]))
  },
  async givenOf({ store, days }, datasets) {
    const found = await sql.all<Named>(
      `SELECT path, sha256, dataset FROM given_files
       WHERE store_id = @store AND from_day = @from AND to_day = @to ORDER BY rowid`,
      { store, ...days },
    )
    return new Map(
      found
        .filter(({ dataset }) => datasets.includes(dataset))
        .map(({ path, sha256 }) => [basename(path), sha256]),
    )
  },
})

const PERIODS =
  'SELECT store_id AS store, month, event, by_name AS "by", reason, at FROM period_events'

const periodsIn = (sql: SqlConnection): Pick<GivenOut, 'recordPeriod' | 'periods'> => ({
  recordPeriod: period =>
    sql.write(async inside => {
      await inside.run(
        `INSERT INTO period_events (store_id, month, event, by_name, reason, at)
         VALUES (@store, @month, @event, @by, @reason, @at)`,
        period,
      )
      const { month, event, by } = period
      await appendEvidence(inside, { kind: 'period', month, event, by })
    }),
  periods: store =>
    store === undefined
      ? sql.all<PeriodEvent>(`${PERIODS} ORDER BY id`)
      : sql.all<PeriodEvent>(`${PERIODS} WHERE store_id = @store ORDER BY id`, { store }),
})

/** The acts by which people say that a journal was imported. */
const postingActsIn = (sql: Sql): Pick<GivenOut, 'recordPostingAct' | 'postingActs'> => ({
  async recordPostingAct(act) {
    await sql.run(
      `INSERT INTO posting_acts (store_id, day, revision, event, ref, by_name, reason, at)
       VALUES (@store, @day, @revision, @event, @ref, @by, @reason, @at)`,
      act,
    )
  },
  postingActs: store =>
    sql.all<PostingAct>(
      `SELECT store_id AS store, day, revision, event, ref, by_name AS "by", reason, at
       FROM posting_acts WHERE store_id = @store ORDER BY id`,
      { store },
    ),
})
