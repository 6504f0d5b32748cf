import { Client } from '@temporalio/client'
import { closing } from '../closing.ts'
import { connectTemporal } from './connect.ts'
import { findStranded } from './find-stranded.ts'
import type { WorkStandingInTemporal } from './find-stranded.ts'
import { openConnection, reach } from './open-connection.ts'
import { embeddedAddress } from './server/server-folder.ts'
import { EMBEDDED_NAMESPACE, temporalSettings } from './settings.ts'
import type { ConfiguredTemporal, TemporalSettings } from './settings.ts'
import { taskQueueOf } from './work-place.ts'

/** How the work of a database stands in a Temporal that is there. */
export const askTemporal = (
  config: ConfiguredTemporal,
  databaseId: string,
): Promise<WorkStandingInTemporal> =>
  withTemporal(config, asking =>
    findStranded(asking, {
      taskQueue: taskQueueOf(databaseId),
      isAlone: config.temporal === 'embedded',
    }),
  )

/** Asks a Temporal that is there: an embedded server is not started, nor kept, to be asked. */
export async function withTemporal<Answer>(
  config: ConfiguredTemporal,
  ask: (asking: Client) => Promise<Answer>,
): Promise<Answer> {
  await using temporal = closing(await connectTemporal(settingsOfAsking(config), () => {}))
  await using connection = closing(
    await reach(temporal.address, () => openConnection(temporal.connectionOptions)),
  )
  return await ask(new Client({ connection, namespace: temporal.namespace }))
}

const settingsOfAsking = (config: ConfiguredTemporal): TemporalSettings =>
  config.temporal === 'embedded'
    ? {
        kind: 'address',
        address: embeddedAddress(config.localFiles) ?? 'nowhere',
        namespace: EMBEDDED_NAMESPACE,
      }
    : temporalSettings(config)
