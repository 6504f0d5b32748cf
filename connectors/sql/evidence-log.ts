import { sha256Of } from '../../sha256.ts'
import { describeStray } from '../destination/outbound.ts'
import type { EvidenceLog, WrittenEvidence } from '../destination/written-evidence.ts'
import { logIn } from './audit-log.ts'
import type { Sql } from './connection.ts'
import { straysIn } from './stray-operations.ts'
import { EVIDENCE_KINDS, evidenceIn, evidenceRows } from './written-evidence.ts'

/**
 * What the audit log of a database vouches for, and what is wrong with it: broken links of its
 * chain, and rows of plans, approvals, receipts and closed months that are not those of the log.
 */
export async function evidenceLogIn(sql: Sql): Promise<EvidenceLog> {
  const { entries, breaks } = await logIn(sql)
  const written = entries.flatMap(entry => evidenceIn(entry) ?? [])
  return {
    heads: entries.map(({ seq, hash }) => ({ seq, hash })),
    written,
    breaks: [...breaks, ...(entries.length === 0 ? [] : await compareRows(sql, written))],
  }
}

async function compareRows(sql: Sql, written: readonly WrittenEvidence[]): Promise<string[]> {
  const differences: string[] = []
  for (const kind of EVIDENCE_KINDS) {
    const logged = written.filter(one => one.kind === kind)
    const details = logged.map(({ kind: _kind, ...detail }) => detail)
    differences.push(...findDifferences(kind, details, await evidenceRows(sql, kind)))
  }
  const strays = await straysIn(sql, null)
  return [...differences, ...(await findBentReceipts(sql)), ...strays.map(describeStray)]
}

/** As many of each in the one as in the other. */
export function findDifferences(
  kind: string,
  logged: readonly object[],
  rows: readonly object[],
): string[] {
  const asText = (detail: object): string =>
    Object.entries(detail)
      .map(([name, value]) => `${name} ${Array.isArray(value) ? JSON.stringify(value) : value}`)
      .join(', ')
  const left = (from: readonly object[], without: readonly object[]): string[] => {
    const counts = new Map<string, number>()
    for (const text of without.map(asText)) counts.set(text, (counts.get(text) ?? 0) + 1)
    return from.map(asText).filter(text => {
      const count = counts.get(text) ?? 0
      counts.set(text, count - 1)
      return count <= 0
    })
  }
  return [
    ...left(rows, logged).map(text => `the ${kind} is in its table and not in the log: ${text}`),
    ...left(logged, rows).map(text => `the ${kind} is in the log and not in its table: ${text}`),
  ]
}

async function findBentReceipts(sql: Sql): Promise<string[]> {
  const receipts = await sql.all<{ plan: string; seq: number; sha256: string; body: string }>(
    'SELECT plan, seq, sha256, body FROM outbound_receipts ORDER BY plan, seq',
  )
  return receipts
    .filter(({ sha256, body }) => sha256Of(body) !== sha256)
    .map(({ plan, seq }) => `receipt ${seq} of ${plan} is not as it was written`)
}
