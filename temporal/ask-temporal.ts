import { Client } from '@temporalio/client'
import { connectTemporal } from './connect.ts'
import { findStranded } from './find-stranded.ts'
import type { WorkStandingInTemporal } from './find-stranded.ts'
import { openConnection, reach } from './open-connection.ts'
import { embeddedAddress } from './server/embedded-folder.ts'
import { EMBEDDED_NAMESPACE, temporalSettings } from './settings.ts'
import type { ConfiguredTemporal, TemporalSettings } from './settings.ts'
import { taskQueueOf } from './task-queue.ts'

/** Asks a Temporal that is there: an embedded server is not started, nor kept, for a look. */
export async function askTemporal(
  config: ConfiguredTemporal,
  databaseId: string,
): Promise<WorkStandingInTemporal> {
  const temporal = await connectTemporal(settingsOfAsking(config), () => {})
  try {
    const connection = await reach(temporal.address, () =>
      openConnection(temporal.connectionOptions),
    )
    try {
      const asking = new Client({ connection, namespace: temporal.namespace })
      return await findStranded(asking, {
        taskQueue: taskQueueOf(databaseId),
        isAlone: config.temporal === 'embedded',
      })
    } finally {
      await connection.close()
    }
  } finally {
    await temporal.close()
  }
}

const settingsOfAsking = (config: ConfiguredTemporal): TemporalSettings =>
  config.temporal === 'embedded'
    ? {
        kind: 'address',
        address: embeddedAddress(config.localFiles) ?? 'nowhere',
        namespace: EMBEDDED_NAMESPACE,
      }
    : temporalSettings(config)
