import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { INDEXES_OF_ENDS, INDEXES_OF_STANDING } from '../../sql/migration.ts'
import { BASELINE } from './baseline.ts'
import { logEvidence } from './log-evidence.ts'

const RUNS = [
  // Where documents and receipts lie follows from the folders of now: a copy has its own.
  'ALTER TABLE outbound_plans DROP COLUMN path',
  'ALTER TABLE outbound_receipts DROP COLUMN path',
  `ALTER TABLE outbound_approvals ADD COLUMN origin TEXT NOT NULL DEFAULT ''`,
  `CREATE TABLE outbound_runs (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    plan TEXT NOT NULL,
    run TEXT NOT NULL UNIQUE,
    act TEXT NOT NULL,
    user TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_started_at TEXT,
    started_at TEXT NOT NULL,
    alive_until TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT
  ) STRICT`,
  'CREATE INDEX outbound_runs_plan ON outbound_runs (plan, seq)',
]

/** Runs of plans; plans name their audit, and no path any more. */
const plansAndRuns: Migration = {
  async up(db) {
    const { rows } = await sql<{ plan: string; path: string }>`
      SELECT plan, path FROM outbound_plans WHERE kind = 'reconcile'`.execute(db)
    for (const { plan, path } of rows) {
      const audit = /([^/\\]+)[/\\]plans[/\\][^/\\]+[/\\][^/\\]+$/.exec(path)?.[1]
      await sql`UPDATE outbound_plans SET facts = json_set(facts, '$.audit', ${audit ?? ''})
        WHERE plan = ${plan}`.execute(db)
    }
    for (const statement of RUNS) await sql.raw(statement).execute(db)
  },
}

const instantSql = (iso: string): string =>
  `CAST(round(unixepoch(${iso}, 'subsec') * 1000) AS INTEGER)`
const READ_AT = "CASE WHEN json_valid(evidence) THEN evidence ->> 'readAt' END"

/** Times of a window as numbers. They are virtual: what an index holds of them is read there. */
const STANDING_INDEXES = [
  `ALTER TABLE windows ADD start_ms INTEGER
   GENERATED ALWAYS AS (${instantSql('window_start')}) VIRTUAL`,
  `ALTER TABLE windows ADD end_ms INTEGER
   GENERATED ALWAYS AS (${instantSql('window_end')}) VIRTUAL`,
  `ALTER TABLE windows ADD read_at TEXT GENERATED ALWAYS AS (${READ_AT}) VIRTUAL`,
  ...INDEXES_OF_STANDING,
]

/**
 * Entries of the audit log did not say which guarded operations an approval named, so nobody can
 * tell whether the row was changed since: it names none any more, and somebody approves them again.
 * What stood there is kept under another name.
 */
const GUARDED_AGAIN = [
  `UPDATE outbound_approvals
   SET facts = json_set(
     facts, '$.guarded', json('[]'), '$.namedBefore', json(facts -> '$.guarded'))
   WHERE json_array_length(facts, '$.guarded') > 0`,
]

/** One row: which database this is (`Identity` in `connectors/destination/destination.ts`). */
const IDENTITY = [
  `CREATE TABLE database_identity (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      id TEXT NOT NULL
    ) STRICT`,
  'INSERT INTO database_identity VALUES (1, lower(hex(randomblob(8))))',
]

/**
 * Which readings the journal of a day holds. Days that were posted before this table was there hold
 * what was read an hour before their last posting, or what a night has looked at since.
 */
export const POSTED_DAYS = [
  `CREATE TABLE posted_days (
    store_id TEXT NOT NULL,
    day TEXT NOT NULL,
    batch INTEGER NOT NULL,
    time_zone TEXT,
    day_starts_at TEXT,
    CONSTRAINT posted_days_key PRIMARY KEY (store_id, day)
  ) STRICT`,
  // Readings and postings in the order of their times, once: to go through all readings for each
  // posted day takes minutes after two years of nights.
  `INSERT INTO posted_days (store_id, day, batch)
   WITH moments (at, is_reading, batch, store_id, day) AS (
     SELECT read_at, 1, batch, NULL, NULL FROM readings
     UNION ALL
     SELECT strftime('%Y-%m-%dT%H:%M:%fZ', max(posted_at), '-1 hour'), 0, NULL, store_id, day
     FROM journal_entries GROUP BY store_id, day),
   held AS (
     SELECT store_id, day,
       max(batch) OVER (ORDER BY at, is_reading ROWS UNBOUNDED PRECEDING) AS batch
     FROM moments)
   SELECT h.store_id, h.day, max(coalesce(h.batch, 0), coalesce(b.batch, 0))
   FROM held h LEFT JOIN booked_days b ON b.store_id = h.store_id AND b.day = h.day
   WHERE h.day IS NOT NULL`,
]

/** Who said that a journal's file was imported, or took that back; rows are only added. */
const POSTING_ACTS = [
  `CREATE TABLE posting_acts (
  id INTEGER PRIMARY KEY, store_id TEXT NOT NULL, day TEXT NOT NULL, revision INTEGER NOT NULL,
  event TEXT NOT NULL, ref TEXT, by_name TEXT NOT NULL, reason TEXT, at TEXT NOT NULL
) STRICT`,
]

/** What is remembered of how things went, so that it can be told without a server. */
const STANDING = [
  `CREATE TABLE attempts (
    store_id TEXT NOT NULL PRIMARY KEY,
    at TEXT NOT NULL,
    outcome TEXT NOT NULL,
    code TEXT,
    detail TEXT
  ) STRICT`,
  `CREATE TABLE drift_looks (
    store_id TEXT NOT NULL PRIMARY KEY,
    at TEXT NOT NULL,
    records INTEGER NOT NULL,
    drifted INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE programs (
    machine TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_started TEXT NOT NULL,
    at TEXT NOT NULL,
    settings TEXT NOT NULL,
    problem TEXT,
    PRIMARY KEY (machine, pid)
  ) STRICT`,
]

/** Where the API tells of changes: the last part of each path. */
const HOOK_ADDRESSES = [
  `CREATE TABLE hook_addresses (
    store_id TEXT NOT NULL,
    secret TEXT NOT NULL,
    CONSTRAINT hook_addresses_key PRIMARY KEY (store_id)
  ) STRICT`,
]

/** What somebody was called for, and what came of it. */
const NOTICES = [
  'ALTER TABLE attempts ADD COLUMN failing_since TEXT',
  "UPDATE attempts SET failing_since = at WHERE outcome = 'failed'",
  `CREATE TABLE notices (
    id TEXT NOT NULL PRIMARY KEY,
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    things TEXT NOT NULL,
    opened_at TEXT NOT NULL,
    told_at TEXT NOT NULL,
    closed_at TEXT
  ) STRICT`,
  `CREATE TABLE deliveries (
    id TEXT NOT NULL PRIMARY KEY,
    channel TEXT NOT NULL,
    state TEXT NOT NULL,
    document TEXT NOT NULL,
    at TEXT NOT NULL,
    outcome TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    tried_at TEXT,
    detail TEXT
  ) STRICT`,
  'CREATE INDEX deliveries_by_channel ON deliveries (channel, outcome, at)',
]

const statements = (all: readonly string[]): Migration => ({
  async up(db) {
    for (const statement of all) await sql.raw(statement).execute(db)
  },
})

/**
 * The first step; it has the name of the last of sixteen that it replaced. Databases that have that
 * one are opened; what they know of the fifteen before does not count.
 */
export const FIRST_STEP = '0016-missing-records'

/**
 * Steps of the bookkeeping tables, in the order of their names; a database remembers which it has.
 * A step never changes. Stream tables are not here: they follow their declarations.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  [FIRST_STEP]: statements(BASELINE),
  '0017-plans-and-runs': plansAndRuns,
  '0019-identity': statements(IDENTITY),
  '0021-log-evidence': logEvidence,
  '0022-posted-days': statements(POSTED_DAYS),
  '0024-posting-acts': statements(POSTING_ACTS),
  '0025-standing': statements(STANDING),
  '0026-guarded-again': statements(GUARDED_AGAIN),
  '0027-hook-addresses': statements(HOOK_ADDRESSES),
  '0028-notices': statements(NOTICES),
  '0029-standing-indexes': statements(STANDING_INDEXES),
  '0030-indexes-of-ends': statements(INDEXES_OF_ENDS),
}
