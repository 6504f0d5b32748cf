import type { Config } from '../../config.ts'
import { TillageError } from '../../errors.ts'
import { finishReceipts } from '../../push/apply/receipts.ts'
import { describePlan } from '../../push/document.ts'
import type { PlanDocument, ShownOperation } from '../../push/document.ts'
import { findPlan, loadPlan, refuseOtherContent } from '../../push/find-plan.ts'
import { sends } from '../../push/operation.ts'
import type { Push } from '../../push/push.ts'
import { runPush } from '../../temporal/run-push.ts'
import { startWorker } from '../../worker.ts'
import type { Context } from '../command.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { findNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push apply PLAN`: sends what is approved and due; goes on where it stopped. */
export async function pushApply(
  { config, terminal, signal }: Context,
  { store }: { store?: string },
  named: string,
): Promise<number> {
  const before = await withPush(config, async push => {
    // Also of a plan of which nothing more is sent.
    await finishReceipts(push, await loadPlan(push, await findNamedPlan(push, named, store)))
    return describe(push, named)
  })
  if (before.approvals.length === 0 && operationsOf(before).some(sends))
    throw new TillageError('PUSH_NOT_APPROVED', `nobody has approved ${before.plan}`, {
      remedy: `Nothing was sent. Allow it with: tillage push approve ${before.plan} --by NAME`,
    })
  const document = operationsOf(before).some(mayStillGo)
    ? await send(config, before.plan, { terminal, signal })
    : before
  printPushPlan(document, terminal)
  return applyExitStatus(document)
}

/** States in which a round may do something about an operation. */
const mayStillGo = ({ state }: ShownOperation): boolean =>
  state === 'approved' || state === 'waiting' || state === 'unknown'

const operationsOf = ({ stores }: PlanDocument): ShownOperation[] =>
  stores.flatMap(store => store.operations)

async function describe(push: Push, named: string): Promise<PlanDocument> {
  const remembered = await loadPlan(push, await findPlan(push, named))
  refuseOtherContent(remembered)
  return describePlan(remembered, push.now())
}

const REPORT_EVERY_MS = 500

async function send(
  config: Config,
  plan: string,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<PlanDocument> {
  const worker = await startWorker(config, terminal.progress)
  const report = setInterval(() => {
    const { progress } = worker.push
    if (progress?.plan === plan)
      terminal.progress(`sending: ${progress.done} of ${progress.total} operations`)
  }, REPORT_EVERY_MS)
  try {
    await runPush(worker, plan, signal)
    return await describe(worker.push, plan)
  } finally {
    clearInterval(report)
    await worker.close()
  }
}

const FINE: ReadonlySet<string> = new Set(['applied', 'noop', 'waiting'])

/** 3 where anything is left that is not applied, the same, or waiting for its time. */
export const applyExitStatus = ({ stores }: PlanDocument): number =>
  stores.every(
    ({ error, operations }) => error === null && operations.every(({ state }) => FINE.has(state)),
  )
    ? 0
    : 3
