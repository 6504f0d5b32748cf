import type { RoundResult } from '../../activities/apply-plan.ts'
import type { OutboundRun } from '../../connectors/destination/outbound.ts'
import { inRun } from '../../outbound/run.ts'
import { describeDelays } from '../../temporal/report-progress.ts'
import { runPlan, startWhenDue } from '../../temporal/run-plan.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { thisProcess } from '../../temporal/this-process.ts'
import { startWorker } from '../../worker.ts'
import type { Context } from '../command.ts'
import { withOutbound } from './with-outbound.ts'

const REPORT_EVERY_MS = 500

/**
 * Carries a plan out in a run of this process, and of no other: what Temporal is told are names.
 * Refused where another process is at it. Rows that wait for their time are left to `up`.
 */
export const carryOutPlan = (
  context: Context,
  { plan, act }: Pick<OutboundRun, 'plan' | 'act'>,
): Promise<RoundResult> =>
  withOutbound(context.config, async store => {
    const { config, terminal, signal } = context
    const place = { store, runner: thisProcess(), now: Date.now }
    let worker: RunningWorker | undefined
    try {
      const result = await inRun(place, { plan, act }, async run => {
        worker = await startWorker(config, terminal.progress, { duties: ['read'] })
        const stopReports = reportSending(worker, plan, context)
        return runPlan(worker, { plan, run }, signal).finally(stopReports)
      })
      if (result.nextDueAt !== null) await startWhenDue(worker!, [plan])
      return result
    } finally {
      await worker?.close()
    }
  })

function reportSending(
  { push, dependencies }: RunningWorker,
  plan: string,
  { terminal }: Context,
): () => void {
  const timer = setInterval(() => {
    const { progress } = push
    // Until the first operation has come to its end there is nothing to count.
    const done = progress === undefined ? '' : `: ${progress.done} of ${progress.total} operations`
    const waiting = describeDelays(dependencies, Date.now())
    terminal.progress([`sending ${plan}${done}`, ...waiting].join('; '))
  }, REPORT_EVERY_MS)
  return () => clearInterval(timer)
}
