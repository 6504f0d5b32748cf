import { cancellationSignal, getClient } from '@temporalio/activity'

/**
 * Waits for a workflow that somebody else started. A child cannot be joined from a workflow, so a second start of the
 * same work comes here instead of doing it twice.
 */
export function joinWorkflow({ workflowId }: { workflowId: string }): Promise<unknown> {
  return Promise.race([getClient().workflow.getHandle(workflowId).result(), aborted(cancellationSignal())])
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
}
