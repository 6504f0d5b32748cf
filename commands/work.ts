import type { Config } from '../config.ts'
import { applySchedules, describeChange } from '../schedules/apply-schedules.ts'
import { startWorker } from '../worker.ts'
import type { Terminal } from './terminal.ts'

/** `tillage worker`: a worker alone, until it is told to stop. */
export async function work(
  config: Config,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const worker = await startWorker(config, terminal.progress)
  terminal.log(
    `worker is up: Temporal ${worker.temporalAddress}, task queue ${worker.taskQueue}. Ctrl-C stops it in order.`,
  )
  return untilStopped(worker, terminal, signal)
}

/** `tillage up`: server, worker and schedules for one machine, until it is told to stop. */
export async function up(config: Config, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const worker = await startWorker(config, terminal.progress)
  try {
    for (const change of await applySchedules(worker, config, terminal.log, signal))
      terminal.log(describeChange(change))
  } catch (error) {
    await worker.close()
    throw error
  }
  terminal.log(
    `up: Temporal ${worker.temporalAddress}, ${config.stores.length} stores, database ${config.database}. Ctrl-C stops everything in order.`,
  )
  return untilStopped(worker, terminal, signal)
}

async function untilStopped(
  worker: Awaited<ReturnType<typeof startWorker>>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  try {
    await Promise.race([worker.stopped, aborted(signal)])
    terminal.log('stopping: work under way is brought to its end')
    return 0
  } finally {
    await worker.close()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  )
}
