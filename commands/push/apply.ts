import { refuseUnapprovedRun } from '../../outbound/approve.ts'
import { describeInterrupted } from '../../outbound/run.ts'
import { refuseOver } from '../../push/apply/apply-plan.ts'
import { finishReceipts } from '../../push/apply/receipts.ts'
import { describePlan, showPlan } from '../../push/document.ts'
import type { PlanDocument, ShownOperation } from '../../push/document.ts'
import { sends } from '../../push/operation.ts'
import type { Context } from '../command.ts'
import { carryOutPlan } from '../plans/carry-out-plan.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

/** `tillage push apply PLAN`: sends what is approved and due; continues where it stopped. */
export async function pushApply(
  context: Context,
  { store }: { store?: string },
  named: string,
): Promise<number> {
  const { config, terminal } = context
  const before = await readPlan(context, named, store)
  const { plan, interrupted } = before
  if (interrupted !== null)
    terminal.log(`${describeInterrupted(interrupted)}; going on with the rest`)
  const isLeft = operationsOf(before).some(mayStillGo)
  if (isLeft) await carryOutPlan(context, { plan, act: 'apply' })
  const document = isLeft ? await withPush(config, push => showPlan(push, plan)) : before
  printPushPlan(document, terminal)
  return applyExitStatus(document)
}

/** What can be refused without a worker; receipts are finished also where nothing more is sent. */
const readPlan = (
  { config }: Context,
  named: string,
  store: string | undefined,
): Promise<PlanDocument> =>
  withPush(config, async push => {
    const remembered = await loadNamedPlan(push, named, store)
    await finishReceipts(push, remembered)
    refuseOver(remembered)
    const document = describePlan(push, remembered)
    if (operationsOf(document).some(one => sends(one) && OPEN.has(one.state)))
      await refuseUnapprovedRun(push.outbound, remembered, push.now())
    return describePlan(push, await loadNamedPlan(push, named, store))
  })

const OPEN: ReadonlySet<ShownOperation['state']> = new Set([
  'planned',
  'approved',
  'waiting',
  'unknown',
])

/** States in which a round may do something about an operation. */
const mayStillGo = ({ state }: ShownOperation): boolean => state !== 'planned' && OPEN.has(state)

const operationsOf = ({ stores }: PlanDocument): ShownOperation[] =>
  stores.flatMap(store => store.operations)

const FINE: ReadonlySet<string> = new Set(['applied', 'noop', 'waiting'])

/** 3 where anything is left that is not applied, the same, or waiting for its time. */
export const applyExitStatus = ({ stores }: PlanDocument): number =>
  stores.every(
    ({ error, operations }) => error === null && operations.every(({ state }) => FINE.has(state)),
  )
    ? 0
    : 3
