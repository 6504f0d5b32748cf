import { isDeepStrictEqual } from 'node:util'
import { DatabaseError } from '../../errors.ts'
import { guardedBy } from '../destination/outbound.ts'
import type { Approval, Facts } from '../destination/outbound.ts'
import type {
  NumberedManifest,
  WrittenEvidence,
  WrittenManifest,
} from '../destination/written-evidence.ts'
import type { AuditEntry } from './audit-chain.ts'
import { actNow } from './audit-chain.ts'
import { appendTo } from './audit-log.ts'
import type { Sql } from './connection.ts'

/** How the log calls each: no command is called like that. */
export const ACTS: Readonly<Record<WrittenEvidence['kind'], string>> = {
  plan: 'plan written',
  approval: 'approval written',
  receipt: 'receipt written',
  manifest: 'manifest written',
  period: 'period written',
}

const KINDS = new Map(
  Object.entries(ACTS).map(([kind, act]) => [act, kind as WrittenEvidence['kind']]),
)

/** Inside the transaction of what it tells of, so that both happen or neither. */
export const appendEvidence = (sql: Sql, { kind, ...detail }: WrittenEvidence): Promise<void> =>
  appendTo(sql, actNow(ACTS[kind], detail))

/** A manifest that the log has already is not added again. */
export async function appendManifest(sql: Sql, manifest: WrittenManifest): Promise<void> {
  const { folder, name, sha256 } = manifest
  const detail = { folder, name, sha256 }
  const known = await sql.all(
    'SELECT 1 FROM audit_log WHERE act = @act AND detail = @detail LIMIT 1',
    { act: ACTS.manifest, detail: JSON.stringify(detail) },
  )
  if (known.length === 0) await appendEvidence(sql, { kind: 'manifest', ...detail })
}

/** Manifests of entries after this number, oldest first. */
export async function manifestsAfter(sql: Sql, after: number): Promise<NumberedManifest[]> {
  const entries = await sql.all<{ seq: number; detail: string }>(
    'SELECT seq, detail FROM audit_log WHERE act = @act AND seq > @after ORDER BY seq',
    { act: ACTS.manifest, after },
  )
  return entries.map(({ seq, detail }) => ({ seq, ...(JSON.parse(detail) as WrittenManifest) }))
}

/** What an entry of the log says was written; undefined: it is an act of a person. */
export function evidenceIn({ act, detail }: AuditEntry): WrittenEvidence | undefined {
  const kind = KINDS.get(act)
  if (kind === undefined) return undefined
  const written = { kind, ...(JSON.parse(detail) as object) } as WrittenEvidence
  // An entry of an earlier version names no guarded operation, and vouches for none.
  return written.kind === 'approval' ? { ...written, guarded: written.guarded ?? [] } : written
}

/** Whether one of the entries is that of an approval: it is written right after it. */
export function isLogged(approval: Approval, entries: readonly AuditEntry[]): boolean {
  const { plan, by, hash: sha256, at } = approval
  const expected = { kind: 'approval', plan, by, sha256, guarded: guardedBy(approval) } as const
  return entries.some(
    entry =>
      Date.parse(entry.at) >= Date.parse(at) && isDeepStrictEqual(evidenceIn(entry), expected),
  )
}

/** What the tables remember of each kind that the log has, column by column as in the log. */
const ROWS = {
  plan: 'SELECT plan, hash AS sha256 FROM outbound_plans ORDER BY rowid',
  approval: `SELECT plan, approver AS "by", hash AS sha256, facts FROM outbound_approvals
    ORDER BY plan, position`,
  receipt: 'SELECT plan, seq, sha256 FROM outbound_receipts ORDER BY plan, seq',
  // A store that was renamed has its new id in the table alone.
  period: 'SELECT month, event, by_name AS "by" FROM period_events ORDER BY id',
} as const satisfies Partial<Record<WrittenEvidence['kind'], string>>

export const EVIDENCE_KINDS = Object.keys(ROWS) as (keyof typeof ROWS)[]

export async function evidenceRows(
  sql: Sql,
  kind: (typeof EVIDENCE_KINDS)[number],
): Promise<object[]> {
  const rows = await sql.all<{ facts?: string }>(ROWS[kind])
  // Not read in SQL: of a key that stands twice, SQLite takes the first, and we the last.
  return rows.map(({ facts, ...row }) =>
    facts === undefined ? row : { ...row, guarded: guardedBy({ facts: parseFacts(facts) }) },
  )
}

/** Facts as they stand in their column. */
export function parseFacts(text: string): Facts {
  try {
    const facts: unknown = JSON.parse(text)
    if (typeof facts === 'object' && facts !== null) return facts as Facts
  } catch {
    // Said below.
  }
  throw new DatabaseError('DATABASE_BROKEN', 'facts of a plan in the database are no JSON', {
    remedy: 'Somebody has changed the database by hand. Restore a backup: tillage restore.',
  })
}
