import { workflowInfo } from '@temporalio/workflow'

/**
 * The nominal time of a scheduled run, ISO, however late it began; of one that was started by hand,
 * its start.
 */
export function scheduledAt(): string {
  const { searchAttributes, startTime } = workflowInfo()
  const nominal: unknown = searchAttributes['TemporalScheduledStartTime']?.[0]
  return nominal instanceof Date || typeof nominal === 'string'
    ? new Date(nominal).toISOString()
    : startTime.toISOString()
}
