import { hostname } from 'node:os'
import { toIso } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import type { Program } from '../../connectors/destination/programs.ts'
import type { Remembered } from '../../console/served.ts'
import { applyRetention } from '../../schedules/apply-retention.ts'
import { applySchedules, describeChange } from '../../schedules/apply-schedules.ts'
import { hashSettings } from '../../standing/settings-hash.ts'
import { identifyProcess } from '../../temporal/server/process-identity.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { startWorker } from '../../worker.ts'
import type { StartOptions } from '../../worker.ts'
import type { Context } from '../command.ts'
import { printScheduleChanges } from '../schedule.ts'
import { rememberWorker } from '../status/remember-worker.ts'
import { askWorker } from '../status/worker-is-up.ts'
import type { WorkerStanding } from '../status/worker-is-up.ts'
import type { Telling } from './read-open.ts'
import { watchDue } from './watch-due.ts'
import { watchOpen } from './watch-open.ts'
import { watchRuns } from './watch-runs.ts'

/**
 * What a process takes part in: reading (with all decisions of workflows), files, writes to the
 * API, and telling Temporal what runs when, with the events that the API sends.
 */
export const ROLES = ['read', 'export', 'write', 'schedule'] as const
export type Role = (typeof ROLES)[number]

/** How a process serves, whatever the settings say. */
export interface Service {
  roles: readonly Role[]
  /** It serves the pages for people, and this is what they know. */
  people?: Remembered | undefined
  /** See `StartOptions`. */
  drainMs?: number | undefined
}

/** A worker that works by one state of the settings. */
export interface Serving extends Telling {
  service: Service
}

/**
 * Starts a worker; with schedules it brings them to these settings and says what that changed.
 * `problem`: why it does not work by all of the settings that are there.
 */
export async function serve(
  context: Context,
  config: Config,
  service: Service,
  { webUi, problem }: Pick<StartOptions, 'webUi'> & { problem?: string | undefined } = {},
): Promise<Serving> {
  const { roles, drainMs } = service
  let isServing = false
  // Once it serves, for weeks perhaps, nothing follows that would end a line of progress.
  const say = (line: string): void =>
    isServing ? context.terminal.log(line) : context.terminal.progress(line)
  const worker = await startWorker(config, say, {
    webUi: webUi ?? false,
    metrics: config.metrics !== undefined,
    duties: (['read', 'export'] as const).filter(duty => roles.includes(duty)),
    ...(drainMs === undefined ? {} : { drainMs }),
  })
  const serving = { config, worker, service, knownWorker: rememberWorkers(config, worker, roles) }
  try {
    if (roles.includes('write')) await worker.carryOutWrites()
    if (roles.includes('schedule')) await tellSchedules(context, serving)
    await keepProgram(serving, problem)
  } catch (error) {
    await worker.close()
    throw error
  }
  watchRuns(worker, context, config)
  if (roles.includes('write')) watchDue(context, worker)
  watchOpen(context, serving)
  isServing = true
  return serving
}

/** This one is up as long as nobody has been asked; without Temporal it does nothing. */
function rememberWorkers(
  config: Config,
  { dependencies: { destination } }: RunningWorker,
  roles: readonly Role[],
): () => WorkerStanding {
  const unasked = { isUp: roles.includes('read') || undefined, stranded: [] }
  return rememberWorker(() => askWorker(config, destination.identity), unasked)
}

async function tellSchedules(
  { terminal, signal }: Context,
  { config, worker }: Serving,
): Promise<void> {
  for (const change of await applySchedules(worker, config, terminal.log, signal))
    terminal.log(describeChange(change))
  for (const line of printScheduleChanges(config)) terminal.log(line)
  await applyRetention(worker, config, terminal.log)
}

/** For `status`: by which settings this process works, and why not by newer ones. */
export const keepProgram = (
  { config, worker }: Serving,
  problem: string | undefined,
): Promise<void> =>
  worker.dependencies.destination.programs.keep({
    ...thisProgram(),
    at: toIso(Date.now()),
    settings: hashSettings(config),
    problem,
  })

export const forgetProgram = ({ worker }: Serving): Promise<void> =>
  worker.dependencies.destination.programs.forget(thisProgram())

function thisProgram(): Pick<Program, 'machine' | 'pid' | 'processStarted'> {
  const { pid, startedAt: processStarted = '' } = identifyProcess()
  return { machine: hostname(), pid, processStarted }
}
