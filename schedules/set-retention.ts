import type { Client } from '@temporalio/client'
import { TemporalError } from '../errors.ts'

/** Tells Temporal how long it keeps the histories of runs that are over; a day at least. */
export async function setRetention(client: Client, days: number): Promise<void> {
  const namespace = client.options.namespace
  try {
    await client.connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: { seconds: (days * 86_400) as never } },
    })
  } catch (cause) {
    throw new TemporalError(
      'TEMPORAL_UNREACHABLE',
      `the Temporal server did not take a retention of ${days} days ` +
        `for its namespace "${namespace}"`,
      {
        cause,
        remedy:
          'On a server of your own its administrator sets it: ' +
          'temporal operator namespace update --retention. ' +
          'Leave out retention.temporalDays then.',
      },
    )
  }
}
