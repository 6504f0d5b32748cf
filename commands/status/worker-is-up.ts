import type { Config } from '../../config.ts'
import { TemporalError } from '../../errors.ts'
import { isEmbeddedInUse } from '../../temporal/server/embedded-folder.ts'

/** Whether somebody takes up what schedules start. */
export interface WorkerStanding {
  /** Undefined: nobody knows, since a cluster's Temporal does not answer. */
  isUp: boolean | undefined
  /** Why nobody knows. */
  problem?: string
}

/** Asks the embedded server's folder, or a cluster's Temporal itself. */
export async function askWorker(config: Config): Promise<WorkerStanding> {
  if (config.temporal === 'embedded') return { isUp: isEmbeddedInUse(config.database) }
  // Temporal's client is loaded only where it is asked.
  const { isWorkerPolling } = await import('../../worker.ts')
  try {
    return { isUp: await isWorkerPolling(config) }
  } catch (error) {
    if (!(error instanceof TemporalError)) throw error
    return { isUp: undefined, problem: error.message }
  }
}

/** Below what is due, where nobody would start it; nothing where all is well. */
export function describeWorker({ isUp, problem }: WorkerStanding, config: Config): string[] {
  if (problem !== undefined) return [`  nobody knows whether a worker is up: ${problem}`]
  if (isUp !== false) return []
  const start = config.temporal === 'embedded' ? 'tillage up' : 'tillage worker'
  return [`  no worker is up, so nothing of this starts by itself: ${start}`]
}
