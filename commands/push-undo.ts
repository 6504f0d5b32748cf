import { describePlan } from '../push/document.ts'
import { findPlan, recallPlan } from '../push/find-plan.ts'
import { planUndo } from '../push/undo-plan.ts'
import type { Context } from './command.ts'
import { withPush } from './open-push.ts'
import { planExitStatus, printPlan } from './print-plan.ts'

/** `tillage push undo PLAN`: the inverse plan; approved and applied like any other. */
export const pushUndo = (
  { config, terminal, signal }: Context,
  _options: object,
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    const id = await planUndo(push, named, signal)
    const document = describePlan(await recallPlan(push, await findPlan(push, id)), push.now())
    printPlan(document, terminal)
    return planExitStatus(document)
  })
