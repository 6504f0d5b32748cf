import { hostname } from 'node:os'
import { toIso } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import type { Program } from '../../connectors/destination/programs.ts'
import { plansThatWait } from '../../push/waiting.ts'
import { applyRetention } from '../../schedules/apply-retention.ts'
import { applySchedules, describeChange } from '../../schedules/apply-schedules.ts'
import { hashSettings } from '../../standing/settings-hash.ts'
import { startWhenDue } from '../../temporal/run-plan.ts'
import { identifyProcess } from '../../temporal/server/process-identity.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { startWorker } from '../../worker.ts'
import type { StartOptions } from '../../worker.ts'
import type { Context } from '../command.ts'
import { sayOfSchedules } from '../schedule.ts'
import { watchRuns } from './watch-runs.ts'

/** A worker that works by one state of the settings. */
export interface Serving {
  config: Config
  worker: RunningWorker
}

/** Starts a worker, brings the schedules to these settings and says what that changed. */
export async function serve(
  context: Context,
  config: Config,
  options: Pick<StartOptions, 'webUi'> = {},
): Promise<Serving> {
  const { terminal, signal } = context
  const worker = await startWorker(config, terminal.progress, options)
  try {
    await worker.carryOutWrites()
    await startWhenDue(worker, await plansThatWait(worker.push))
    for (const change of await applySchedules(worker, config, terminal.log, signal))
      terminal.log(describeChange(change))
    for (const line of sayOfSchedules(config)) terminal.log(line)
    await applyRetention(worker, config, terminal.log)
    await keepProgram({ config, worker }, undefined)
  } catch (error) {
    await worker.close()
    throw error
  }
  watchRuns(worker, context)
  return { config, worker }
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
