import { DAY_MS, fromIso } from '../calendar/days.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import type { Finding } from '../connectors/destination/findings.ts'
import type { LedgerStanding } from '../connectors/destination/ledger.ts'
import { FINDINGS } from '../connectors/findings.ts'

/** What is known of the readings of a finding's stream. */
export type StreamReadings = Pick<LedgerStanding, 'lastReadAt' | 'newestProofAt' | 'unproven'>

/**
 * Whether a finding is about today. An error that kept a window from being read is over once the
 * list was read after it, and no window still lacks its proof because of it. What the API did is
 * over where readings of a day did not show it again.
 */
export function isStanding(
  finding: Pick<Finding, 'code' | 'lastSeenAt'>,
  readings: StreamReadings,
): boolean {
  const { lastReadAt } = readings
  if (lastReadAt === undefined) return true
  if (!(finding.code in FINDINGS)) return !isOvercome(finding, readings)
  return fromIso(lastReadAt) - fromIso(finding.lastSeenAt) < DAY_MS
}

const isOvercome = (
  { code, lastSeenAt }: Pick<Finding, 'code' | 'lastSeenAt'>,
  { newestProofAt, unproven }: StreamReadings,
): boolean =>
  newestProofAt !== undefined &&
  fromIso(newestProofAt) > fromIso(lastSeenAt) &&
  !unproven.some(row => reasonOf(row) === code)

const reasonOf = ({ evidence }: LedgerRow): string | undefined =>
  (JSON.parse(evidence) as { reason?: string }).reason
