import { Client } from '@temporalio/client'
import { connectTemporal } from './connect.ts'
import { openConnection, reach } from './open-connection.ts'
import { findMissingAttributes } from './search-attributes.ts'
import type { AddressSettings } from './settings.ts'

/** A namespace on somebody's server, as far as our work depends on it. */
export interface NamespaceFacts {
  address: string
  namespace: string
  serverVersion: string
  /** So long it keeps runs that are over. */
  retentionMs: number
  /** Our search attributes that it lacks. */
  missingAttributes: readonly string[]
}

/** Asks the server; fails with TEMPORAL_UNREACHABLE where it does not answer. */
export async function readNamespace(settings: AddressSettings): Promise<NamespaceFacts> {
  const { address, namespace, connectionOptions } = await connectTemporal(settings, () => {})
  const connection = await reach(address, () => openConnection(connectionOptions))
  try {
    const { workflowService } = connection
    const [system, described] = await Promise.all([
      workflowService.getSystemInfo({}),
      workflowService.describeNamespace({ namespace }),
    ])
    const { seconds } = described.config?.workflowExecutionRetentionTtl ?? {}
    return {
      address,
      namespace,
      serverVersion: system.serverVersion,
      retentionMs: Number(seconds ?? 0) * 1_000,
      missingAttributes: await findMissingAttributes(new Client({ connection, namespace })),
    }
  } finally {
    await connection.close()
  }
}
