import type { ConnectionOptions } from '@temporalio/client'
import { openConnection } from './open-connection.ts'

/**
 * Connects, asks for the namespace and disconnects. Throws what the SDK throws, within about
 * `timeoutMs`.
 */
export async function checkNamespace(
  options: ConnectionOptions,
  namespace: string,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  const connection = await openConnection({ ...options, connectTimeout: timeoutMs })
  try {
    await connection.withDeadline(Math.max(deadline, Date.now() + 1_000), () =>
      connection.workflowService.describeNamespace({ namespace }),
    )
  } finally {
    await connection.close()
  }
}
