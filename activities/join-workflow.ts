import { cancellationSignal, getClient, heartbeat } from '@temporalio/activity'

const HEARTBEAT_MS = 5_000

/**
 * Waits for a workflow that somebody else started. A child cannot be joined from a workflow, so a second start of the
 * same work comes here instead of doing it twice.
 */
export async function joinWorkflow({ workflowId }: { workflowId: string }): Promise<unknown> {
  const beat = setInterval(() => heartbeat(), HEARTBEAT_MS)
  try {
    return await Promise.race([getClient().workflow.getHandle(workflowId).result(), aborted(cancellationSignal())])
  } finally {
    clearInterval(beat)
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
}
