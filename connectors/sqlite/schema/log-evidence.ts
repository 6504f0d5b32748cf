import { basename, dirname } from 'node:path'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { WrittenEvidence } from '../../destination/written-evidence.ts'
import { BEGINNING, hashOf } from '../../sql/audit-chain.ts'
import type { AuditEntry } from '../../sql/audit-chain.ts'
import { actNow } from '../../sql/audit-chain.ts'
import { ACTS } from '../../sql/written-evidence.ts'

/** As the tables were at this step; what they are later does not concern it. */
const ROWS = {
  plan: 'SELECT plan, hash AS sha256 FROM outbound_plans ORDER BY rowid',
  approval: `SELECT plan, approver AS "by", hash AS sha256 FROM outbound_approvals
    ORDER BY plan, position`,
  receipt: 'SELECT plan, seq, sha256 FROM outbound_receipts ORDER BY plan, seq',
  period: 'SELECT month, event, by_name AS "by" FROM period_events ORDER BY id',
}

/** Everything that was written before the audit log had entries of it gets one. */
export const logEvidence: Migration = {
  async up(db: Kysely<unknown>) {
    const { rows: last } = await sql<Pick<AuditEntry, 'seq' | 'hash'>>`
      SELECT seq, hash FROM audit_log ORDER BY seq DESC LIMIT 1`.execute(db)
    let { seq, hash: previous } = last[0] ?? { seq: 0, hash: BEGINNING }
    for (const { kind, ...detail } of await readEvidence(db)) {
      const act = actNow(ACTS[kind], {})
      seq += 1
      const entry = { ...act, seq, detail: JSON.stringify(detail), previous }
      previous = hashOf(entry)
      await sql`INSERT INTO audit_log (seq, at, who, machine, act, detail, previous, hash)
        VALUES (${seq}, ${act.at}, ${act.who}, ${act.machine}, ${act.act}, ${entry.detail},
          ${entry.previous}, ${previous})`.execute(db)
    }
  },
}

async function readEvidence(db: Kysely<unknown>): Promise<WrittenEvidence[]> {
  const found: WrittenEvidence[] = []
  for (const [kind, select] of Object.entries(ROWS)) {
    const { rows } = await sql.raw<object>(select).execute(db)
    found.push(...rows.map(row => ({ kind, ...row }) as WrittenEvidence))
  }
  const { rows: manifests } = await sql<{ path: string; sha256: string }>`
    SELECT path, sha256 FROM given_files WHERE dataset = 'manifest' ORDER BY rowid`.execute(db)
  for (const { path, sha256 } of manifests)
    found.push({ kind: 'manifest', folder: dirname(path), name: basename(path), sha256 })
  return found
}
