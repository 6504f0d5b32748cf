import { plansThatWait } from '../push/waiting.ts'
import { startWhenDue } from '../temporal/run-plan.ts'
import { startWorker } from '../worker.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { untilStopped } from './up/until-stopped.ts'
import { watchRuns } from './up/watch-runs.ts'

/** `tillage worker`: a worker alone, until it is told to stop. */
async function work(context: Context): Promise<number> {
  const { config, terminal } = context
  const worker = await startWorker(config, terminal.progress)
  await worker.carryOutWrites()
  await startWhenDue(worker, await plansThatWait(worker.push))
  terminal.log(
    `worker is up: Temporal ${worker.temporalAddress}, task queue ${worker.taskQueue}. ` +
      'Ctrl-C stops it in order.',
  )
  watchRuns(worker, context)
  return untilStopped(worker, context)
}

export const command = declareCommand({ storeless: true, run: work })
