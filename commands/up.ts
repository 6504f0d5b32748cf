import { plansThatWait } from '../push/waiting.ts'
import { applyRetention } from '../schedules/apply-retention.ts'
import { applySchedules, describeChange } from '../schedules/apply-schedules.ts'
import { startWhenDue } from '../temporal/run-plan.ts'
import { startWorker } from '../worker.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { logStanding } from './reconcile/standing.ts'
import { sayOfSchedules } from './schedule.ts'
import { countOf } from './terminal/number.ts'
import { untilStopped } from './up/until-stopped.ts'
import { watchRuns } from './up/watch-runs.ts'

/** `tillage up`: server, worker and schedules for one machine, until it is told to stop. */
async function up(context: Context): Promise<number> {
  const { config, terminal, signal } = context
  const worker = await startWorker(config, terminal.progress, { webUi: true })
  try {
    await worker.carryOutWrites()
    await startWhenDue(worker, await plansThatWait(worker.push))
    for (const change of await applySchedules(worker, config, terminal.log, signal))
      terminal.log(describeChange(change))
    for (const line of sayOfSchedules(config)) terminal.log(line)
    await applyRetention(worker, config, terminal.log)
  } catch (error) {
    await worker.close()
    throw error
  }
  const { temporalAddress, webUi } = worker
  const ui = webUi === undefined ? '' : ` (workflows: ${webUi})`
  terminal.log(
    `up: Temporal ${temporalAddress}${ui}, ${countOf(config.stores.length, 'store')}, ` +
      `database ${config.database}. Ctrl-C stops everything in order.`,
  )
  for (const { id } of config.stores) await logStanding(worker, context, id)
  watchRuns(worker, context)
  return untilStopped(worker, context)
}

export const command = declareCommand({ storeless: true, run: up })
