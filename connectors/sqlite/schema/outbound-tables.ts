import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** `connectors/destination/outbound.ts` describes what each holds. */
const TABLES = [
  `CREATE TABLE outbound_plans (
    plan TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL,
    path TEXT NOT NULL,
    created_at TEXT NOT NULL,
    facts TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE outbound_operations (
    plan TEXT NOT NULL,
    op TEXT NOT NULL,
    position INTEGER NOT NULL,
    token TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    changed_at TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (plan, op)
  ) STRICT`,
  `CREATE TABLE outbound_approvals (
    plan TEXT NOT NULL,
    position INTEGER NOT NULL,
    approver TEXT NOT NULL,
    role TEXT NOT NULL,
    at TEXT NOT NULL,
    hash TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (plan, position)
  ) STRICT`,
  `CREATE TABLE outbound_events (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    plan TEXT NOT NULL,
    op TEXT,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    by TEXT,
    detail TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX outbound_events_plan ON outbound_events (plan, seq)`,
  `CREATE TABLE outbound_receipts (
    plan TEXT NOT NULL,
    seq INTEGER NOT NULL,
    op TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    previous_sha256 TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (plan, seq),
    UNIQUE (plan, op)
  ) STRICT`,
]

/** Plans, approvals, operations, their journal and receipts. */
export const outboundTables: Migration = {
  async up(db) {
    for (const table of TABLES) await sql.raw(table).execute(db)
  },
}
