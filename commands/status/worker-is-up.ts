import type { Config } from '../../config.ts'
import type { Identity } from '../../connectors/destination/destination.ts'
import { TemporalError } from '../../errors.ts'
import type { MissingRole } from '../../temporal/find-stranded.ts'
import { isOfServer } from '../../temporal/grpc-codes.ts'
import type { OpenWork } from '../../temporal/open-work.ts'
import { isEmbeddedInUse } from '../../temporal/server/server-folder.ts'

/** Whether somebody takes up what schedules start. */
export interface WorkerStanding {
  /** Undefined: nobody knows, since Temporal does not answer. */
  isUp: boolean | undefined
  /** Why nobody knows: the server, of its own or one whose program is up, does not answer. */
  problem?: string
  /** Ids of the workflows that are under way; undefined: nobody knows. */
  open?: readonly string[]
  /** What has begun, and no worker is there to go on with it. */
  stranded: readonly OpenWork[]
  /** Roles that no worker has, though nights, or plans, need them. */
  missingRoles?: readonly MissingRole[]
}

/**
 * Asks Temporal itself, of whose work the database is. An embedded server that is down is not
 * started to be asked: nothing works then.
 */
export async function askWorker(config: Config, identity: Identity): Promise<WorkerStanding> {
  if (config.temporal === 'embedded' && !isEmbeddedInUse(config.localFiles))
    return { isUp: false, stranded: [] }
  // Temporal's client is loaded only where it is asked.
  const { askTemporal } = await import('../../temporal/ask-temporal.ts')
  try {
    const { isWorkerUp, ...work } = await askTemporal(config, await identity.id())
    return { isUp: isWorkerUp, ...work }
  } catch (error) {
    // A server may end, or be out of room, once it has let us connect.
    if (!(error instanceof TemporalError) && !isOfServer(error)) throw error
    return { isUp: undefined, problem: error.message, stranded: [] }
  }
}

/** Where nobody knows whether somebody would start what is due. */
export const describeProblem = ({ problem }: WorkerStanding): string[] =>
  problem === undefined ? [] : [`  it is not known whether a worker runs: ${problem}`]
