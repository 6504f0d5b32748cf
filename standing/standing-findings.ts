import { DAY_MS, fromIso } from '../calendar/days.ts'
import { readAtMs } from '../connectors/destination/coverage.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import type { Finding } from '../connectors/destination/findings.ts'
import { FINDINGS } from '../connectors/findings.ts'

/** What is known of the readings of a finding's stream. */
export interface StreamReadings {
  lastReadAt: string | undefined
  /** Of the ledger. */
  rows: readonly LedgerRow[]
}

/**
 * Whether a finding is about today. An error that kept a window from being read is over once the
 * list was read after it, and no window still lacks its proof because of it. What the API did is
 * over where readings of a day did not show it again.
 */
export function isStanding(
  finding: Pick<Finding, 'code' | 'lastSeenAt'>,
  { lastReadAt, rows }: StreamReadings,
): boolean {
  if (lastReadAt === undefined) return true
  if (!(finding.code in FINDINGS)) return !isOvercome(finding, rows)
  return fromIso(lastReadAt) - fromIso(finding.lastSeenAt) < DAY_MS
}

const isOvercome = (
  { code, lastSeenAt }: Pick<Finding, 'code' | 'lastSeenAt'>,
  rows: readonly LedgerRow[],
): boolean =>
  rows.some(row => row.status === 'proven' && readAtMs(row) > fromIso(lastSeenAt)) &&
  !rows.some(row => row.status === 'unproven' && reasonOf(row) === code)

const reasonOf = ({ evidence }: LedgerRow): string | undefined =>
  (JSON.parse(evidence) as { reason?: string }).reason
