import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { givenOutTables } from './given-out-tables.ts'
import { GUARDED_AGAIN } from './guarded-again.ts'
import { identityTable } from './identity-table.ts'
import { logEvidence } from './log-evidence.ts'
import { outboundTables } from './outbound-tables.ts'
import { plansAndRuns } from './plans-and-runs.ts'
import { POSTED_DAYS } from './posted-days.ts'
import { postingActsTable } from './posting-acts-table.ts'
import { pushTables } from './push-tables.ts'
import { removeSecrets } from './remove-secrets.ts'
import { STANDING_TABLES } from './standing-tables.ts'

/** `schema.ts` describes what the tables hold. */
const BOOKKEEPING = [
  `CREATE TABLE windows (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    status TEXT NOT NULL,
    evidence TEXT NOT NULL,
    CONSTRAINT windows_key PRIMARY KEY (store_id, stream, window_start, window_end)
  )`,
  `CREATE TABLE dead_letters (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    record_key TEXT NOT NULL,
    reason TEXT NOT NULL,
    raw TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    first_seen_at TEXT NOT NULL,
    CONSTRAINT dead_letters_key PRIMARY KEY (store_id, stream, record_key)
  )`,
  `CREATE TABLE findings (
    id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    code TEXT NOT NULL,
    detail TEXT NOT NULL,
    times INTEGER NOT NULL,
    first_seen_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL
  )`,
  `CREATE TABLE stores (
    store_id TEXT NOT NULL PRIMARY KEY,
    company_id TEXT,
    shop_id TEXT,
    name TEXT,
    time_zone TEXT NOT NULL,
    checked_at TEXT NOT NULL
  )`,
  `CREATE TABLE readings (
    batch INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    status TEXT NOT NULL,
    counts TEXT NOT NULL,
    read_at TEXT NOT NULL
  )`,
]

const SHAPES = [
  `CREATE TABLE shapes (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    learned_by TEXT NOT NULL,
    shape TEXT NOT NULL,
    CONSTRAINT shapes_key PRIMARY KEY (store_id, stream)
  )`,
]

const HISTORY = [
  `CREATE TABLE versions (
    stream TEXT NOT NULL,
    store_id TEXT NOT NULL,
    id TEXT NOT NULL,
    from_batch INTEGER NOT NULL,
    to_batch INTEGER NOT NULL,
    modified INTEGER,
    gone_at INTEGER,
    raw TEXT NOT NULL
  )`,
  'CREATE INDEX versions_key ON versions (stream, store_id, id, to_batch)',
  `CREATE TABLE discarded_letters (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    record_key TEXT NOT NULL,
    reason TEXT NOT NULL,
    raw TEXT NOT NULL,
    window_start TEXT NOT NULL,
    window_end TEXT NOT NULL,
    first_seen_at TEXT NOT NULL,
    discarded_at TEXT NOT NULL,
    discarded_by TEXT NOT NULL,
    discard_reason TEXT NOT NULL
  )`,
  `CREATE TABLE lateness (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    day TEXT NOT NULL,
    max_ms INTEGER NOT NULL,
    records INTEGER NOT NULL,
    CONSTRAINT lateness_key PRIMARY KEY (store_id, stream, day)
  )`,
]

const BEHAVIOURS = [
  `CREATE TABLE behaviours (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    fact TEXT NOT NULL,
    value TEXT NOT NULL,
    evidence TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    CONSTRAINT behaviours_key PRIMARY KEY (store_id, stream, fact)
  )`,
]

const SCHEDULES = [
  `CREATE TABLE schedules (
    schedule_id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    store_id TEXT NOT NULL,
    settings TEXT NOT NULL,
    since TEXT NOT NULL,
    paused_at TEXT,
    note TEXT
  )`,
  `CREATE TABLE runs (
    kind TEXT NOT NULL,
    store_id TEXT NOT NULL,
    day TEXT NOT NULL,
    due_at TEXT NOT NULL,
    deadline_at TEXT,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    outcome TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    detail TEXT NOT NULL,
    CONSTRAINT runs_key PRIMARY KEY (kind, store_id, day)
  )`,
]

const CHECKS = [
  `CREATE TABLE checks (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    checked_at TEXT NOT NULL,
    seed INTEGER NOT NULL,
    windows INTEGER NOT NULL,
    compared INTEGER NOT NULL,
    mismatched INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    healed INTEGER NOT NULL,
    rate_bound REAL NOT NULL
  )`,
]

const CHECKS_BY_ID = [
  'ALTER TABLE checks RENAME COLUMN windows TO drawn',
  `ALTER TABLE checks ADD COLUMN drawn_by TEXT NOT NULL DEFAULT 'window'`,
  `ALTER TABLE checks ADD COLUMN bound_of TEXT NOT NULL DEFAULT 'rows'`,
]

const BOOKED_DAYS = [
  `CREATE TABLE booked_days (
    store_id TEXT NOT NULL,
    day TEXT NOT NULL,
    manifest TEXT NOT NULL,
    batch INTEGER NOT NULL,
    CONSTRAINT booked_days_key PRIMARY KEY (store_id, day)
  )`,
]

const STORE_ADDRESSES = ['ALTER TABLE stores ADD COLUMN base_url TEXT']

/**
 * Whoever changes or removes an entry has to remove a trigger first; the chain shows it even then.
 */
export const AUDIT_LOG = [
  `CREATE TABLE audit_log (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    machine TEXT NOT NULL,
    act TEXT NOT NULL,
    detail TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT`,
  `CREATE TRIGGER audit_log_stays_as_it_is BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END`,
  `CREATE TRIGGER audit_log_stays BEFORE DELETE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END`,
]

const FORGOTTEN_MEMBERS = [
  `CREATE TABLE forgotten_members (
    store_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    salt TEXT NOT NULL,
    length INTEGER NOT NULL,
    at TEXT NOT NULL,
    certificate TEXT NOT NULL,
    PRIMARY KEY (store_id, hash)
  ) STRICT`,
]

const MISSING_RECORDS = [
  `CREATE TABLE missing_records (
    store_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    id TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    CONSTRAINT missing_records_key PRIMARY KEY (store_id, stream, id)
  )`,
]

const statements = (all: readonly string[]): Migration => ({
  async up(db) {
    for (const statement of all) await sql.raw(statement).execute(db)
  },
})

/**
 * Steps of the bookkeeping tables, in the order of their names; a database remembers which it has.
 * A released step never changes. Stream tables are not here: they follow their declarations.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-bookkeeping': statements(BOOKKEEPING),
  '0002-shapes': statements(SHAPES),
  '0003-history': statements(HISTORY),
  '0004-behaviours': statements(BEHAVIOURS),
  '0005-schedules': statements(SCHEDULES),
  '0006-checks': statements(CHECKS),
  '0007-checks-by-id': statements(CHECKS_BY_ID),
  '0008-booked-days': statements(BOOKED_DAYS),
  '0009-outbound': outboundTables,
  '0010-push': pushTables,
  '0011-remove-secrets': removeSecrets,
  '0012-store-addresses': statements(STORE_ADDRESSES),
  '0013-audit-log': statements(AUDIT_LOG),
  '0014-given-out': givenOutTables,
  '0015-forgotten-members': statements(FORGOTTEN_MEMBERS),
  '0016-missing-records': statements(MISSING_RECORDS),
  '0017-plans-and-runs': plansAndRuns,
  '0019-identity': identityTable,
  '0021-log-evidence': logEvidence,
  '0022-posted-days': statements(POSTED_DAYS),
  '0024-posting-acts': postingActsTable,
  '0025-standing': statements(STANDING_TABLES),
  '0026-guarded-again': statements(GUARDED_AGAIN),
}
