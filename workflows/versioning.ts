import type { WorkflowDefinitionOptions } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'

/**
 * What waits for a time, or goes on while there is work, goes on under the release that is current
 * then; all else ends under the release that began it (decision 134). Only where workers say which
 * release they are: a server takes no step that says so of any other.
 */
export const goesOn = (): WorkflowDefinitionOptions =>
  (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') === ''
    ? {}
    : { versioningBehavior: 'AUTO_UPGRADE' }

/** A run that begins where another has left off is of the release that is current then. */
export const NEXT_RUN = { initialVersioningBehavior: 'AUTO_UPGRADE' } as const
