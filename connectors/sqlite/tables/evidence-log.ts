import { createHash } from 'node:crypto'
import type Sqlite from 'better-sqlite3'
import { describeStray } from '../../destination/outbound.ts'
import type { EvidenceLog, WrittenEvidence } from '../../destination/written-evidence.ts'
import { readDatabase } from '../connection/open-connection.ts'
import { logIn } from './audit-log.ts'
import { prepareStanding, straysIn } from './stray-operations.ts'
import { EVIDENCE_KINDS, evidenceIn, evidenceRows } from './written-evidence.ts'

/**
 * What the audit log of a database vouches for, and what is wrong with it: broken links of its
 * chain, and rows of plans, approvals, receipts and closed months that are not those of the log.
 */
export const readEvidenceLog = (path: string): EvidenceLog =>
  readDatabase(path, connection => {
    const { entries, breaks } = logIn(connection)
    const written = entries.flatMap(entry => evidenceIn(entry) ?? [])
    return {
      heads: entries.map(({ seq, hash }) => ({ seq, hash })),
      written,
      breaks: [...breaks, ...(entries.length === 0 ? [] : compareRows(connection, written))],
    }
  })

function compareRows(connection: Sqlite.Database, written: readonly WrittenEvidence[]): string[] {
  const differences = EVIDENCE_KINDS.flatMap(kind => {
    const logged = written.filter(one => one.kind === kind)
    return findDifferences(
      kind,
      logged.map(({ kind: _kind, ...detail }) => detail),
      evidenceRows(connection, kind),
    )
  })
  const strays = straysIn(prepareStanding(connection), null)
  return [...differences, ...findBentReceipts(connection), ...strays.map(describeStray)]
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

function findBentReceipts(connection: Sqlite.Database): string[] {
  const receipts = connection
    .prepare<[], { plan: string; seq: number; sha256: string; body: string }>(
      'SELECT plan, seq, sha256, body FROM outbound_receipts',
    )
    .all()
  return receipts
    .filter(({ sha256, body }) => createHash('sha256').update(body).digest('hex') !== sha256)
    .map(({ plan, seq }) => `receipt ${seq} of ${plan} is not as it was written`)
}
