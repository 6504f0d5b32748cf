import { workflowInfo } from '@temporalio/workflow'

/** Clocks of two machines of a cluster may differ by so much. */
const LONGEST_SKEW_MS = 60_000

/**
 * The nominal time of a scheduled run, ISO, however late it began; of one that was started by hand,
 * its start. Nothing signs it, so one that had not come by then is not believed.
 */
export function scheduledAt(): string {
  const { searchAttributes, startTime } = workflowInfo()
  const nominal: unknown = searchAttributes['TemporalScheduledStartTime']?.[0]
  const known = nominal instanceof Date || typeof nominal === 'string'
  const nominalMs = known ? new Date(nominal).getTime() : Number.NaN
  return (
    nominalMs <= startTime.getTime() + LONGEST_SKEW_MS ? new Date(nominalMs) : startTime
  ).toISOString()
}
