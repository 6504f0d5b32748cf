import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { openConnection } from '../../temporal/open-connection.ts'
import { useEmbeddedServer } from '../../temporal/server/embedded-server.ts'
import type { EmbeddedServer } from '../../temporal/server/embedded-server.ts'

/** As it stands in tillage.yaml. */
export interface TemporalNamespace {
  address: string
  namespace: string
}

let server: Promise<EmbeddedServer> | undefined

/**
 * A namespace of one's own on the server that all test files of a run share: to start and stop a
 * server takes a second of a processor. It ends with the last process that uses it.
 */
export async function ownNamespace(): Promise<TemporalNamespace> {
  server ??= useEmbeddedServer({ folder: inject('temporalFolder'), progress: () => {} })
  const { address } = await server
  const namespace = `test-${randomUUID()}`
  const connection = await openConnection({ address })
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    })
  } finally {
    await connection.close()
  }
  return { address, namespace }
}
