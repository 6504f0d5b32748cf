import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Client } from '@temporalio/client'
import { isServerAddress, placeOf } from '../connectors/server-address.ts'
import { TillageError } from '../errors.ts'
import { sha256Of } from '../sha256.ts'
import { pollersOf } from './find-pollers.ts'
import { identifySpace, isRunning } from './server/process-identity.ts'

/**
 * Which database a worker works on: workers on one server are told by its address, those on a file
 * by the file itself, which stays the same when a container is made anew, and no copy is.
 */
export function workPlaceOf(database: string): string {
  if (isServerAddress(database)) return sha256Of(placeOf(database)).slice(0, 12)
  const { ino, birthtimeMs } = statSync(database)
  return sha256Of(`${ino} ${birthtimeMs}`).slice(0, 12)
}

/** As Temporal shows who polls: `tillage 3f2a... 4711@till-1 9c1b...`, the space of pids last. */
export const identityOf = (database: string): string =>
  `tillage ${workPlaceOf(database)} ${process.pid}@${hostname()} ${identifySpace()}`

/**
 * A file is on one machine: a copy of it on another one is another database under the same name,
 * and each would do half of the work. Fails with TEMPORAL_SHARED while the other one is at work.
 * Of others those are seen that decide (role `read`): without one of them nothing is done.
 */
export async function refuseOtherCopy(
  { workflowService, options: { namespace } }: Client,
  taskQueue: string,
  database: string,
): Promise<void> {
  if (isServerAddress(database)) return
  const own = workPlaceOf(database)
  const others = (await pollersOf(workflowService, namespace, taskQueue))
    .map(({ identity }) => identity.split(' '))
    .filter(([kind, place, ...who]) => kind === 'tillage' && place !== own && isAtWork(who))
  const [other] = others
  if (other === undefined) return
  throw new TillageError(
    'TEMPORAL_SHARED',
    `another copy of ${database} is at work on the same task queue (${taskQueue}): ` +
      `process ${other[2]}`,
    {
      remedy:
        'Several machines share a database on a server: database: postgres://... in tillage.yaml. ' +
        'End the other worker, or give its copy a namespace of its own. ' +
        'One that has just ended is forgotten after two minutes.',
    },
  )
}

/** Of this machine one knows who has ended; Temporal names them for a while. */
function isAtWork([who = '', space]: readonly string[]): boolean {
  const [pid, host] = who.split('@')
  if (host !== hostname() || space !== identifySpace()) return true
  return Number(pid) !== process.pid && isRunning({ pid: Number(pid) })
}

/**
 * Where the work of a database waits for its workers. The name goes with the database and with
 * nothing that is configured, so that no change of tillage.yaml leaves work behind.
 */
export const taskQueueOf = (databaseId: string): string => `tillage-${databaseId}`
