import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

const STATEMENTS = [
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
export const plansAndRuns: Migration = {
  async up(db: Kysely<unknown>) {
    const { rows } = await sql<{ plan: string; path: string }>`
      SELECT plan, path FROM outbound_plans WHERE kind = 'reconcile'`.execute(db)
    for (const { plan, path } of rows) {
      const audit = /([^/\\]+)[/\\]plans[/\\][^/\\]+[/\\][^/\\]+$/.exec(path)?.[1]
      await sql`UPDATE outbound_plans SET facts = json_set(facts, '$.audit', ${audit ?? ''})
        WHERE plan = ${plan}`.execute(db)
    }
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  },
}
