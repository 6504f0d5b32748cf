import { DAY_MS, fromIso } from '../calendar/days.ts'
import type { Finding } from '../connectors/destination/findings.ts'

/**
 * Whether a finding is about today: it was seen again within a day of the newest reading of its
 * stream. What later readings did not show again is over.
 */
export const isStanding = (
  { lastSeenAt }: Pick<Finding, 'lastSeenAt'>,
  lastReadAt: string | undefined,
): boolean => lastReadAt === undefined || fromIso(lastReadAt) - fromIso(lastSeenAt) < DAY_MS
