import { planUndo } from '../../push/apply/undo-plan.ts'
import { describePlan } from '../../push/document.ts'
import { findPlan, loadPlan } from '../../push/find-plan.ts'
import type { Context } from '../command.ts'
import { findNamedPlan, withPush } from './open-push.ts'
import { planExitStatus, printPushPlan } from './print-plan.ts'

/** `tillage push undo PLAN`: the inverse plan; approved and applied like any other. */
export const pushUndo = (
  { config, terminal, signal }: Context,
  { store }: { store?: string },
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    await findNamedPlan(push, named, store)
    const id = await planUndo(push, named, signal)
    const document = describePlan(await loadPlan(push, await findPlan(push, id)), push.now())
    printPushPlan(document, terminal)
    return planExitStatus(document)
  })
