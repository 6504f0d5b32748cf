import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { INDEXES_OF_ENDS } from '../../sql/standing-indexes.ts'
import { BASELINE } from './baseline.ts'
import { GUARDED_AGAIN } from './guarded-again.ts'
import { logEvidence } from './log-evidence.ts'
import { plansAndRuns } from './plans-and-runs.ts'
import { STANDING_INDEXES } from './standing-indexes.ts'

/** One row: which database this is (`connectors/destination/identity.ts`). */
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
  `INSERT INTO posted_days (store_id, day, batch)
   SELECT e.store_id, e.day, max(
     coalesce((SELECT max(r.batch) FROM readings r
       WHERE r.read_at < strftime('%Y-%m-%dT%H:%M:%fZ', max(e.posted_at), '-1 hour')), 0),
     coalesce((SELECT b.batch FROM booked_days b
       WHERE b.store_id = e.store_id AND b.day = e.day), 0))
   FROM journal_entries e GROUP BY e.store_id, e.day`,
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
