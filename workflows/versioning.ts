import type { WorkflowDefinitionOptions } from '@temporalio/common'

/**
 * What waits for a time, or goes on while there is work, goes on under the version that is current
 * then; all else ends under the version that began it. It counts where `temporal.deployment` is set
 * (decision 134).
 */
export const GOES_ON: WorkflowDefinitionOptions = { versioningBehavior: 'AUTO_UPGRADE' }

/** A run that begins where another has left off is of the version that is current then. */
export const NEXT_RUN = { initialVersioningBehavior: 'AUTO_UPGRADE' } as const
