import { planUndo } from '../../push/apply/undo-plan.ts'
import { showPlan } from '../../push/document.ts'
import type { Context } from '../command.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
import { planExitStatus, printPushPlan } from './print-plan.ts'

/** `tillage push undo PLAN`: the inverse plan; approved and applied like any other. */
export const pushUndo = (
  { config, terminal, signal }: Context,
  { store }: { store?: string },
  named: string,
): Promise<number> =>
  withPush(config, async push => {
    await loadNamedPlan(push, named, store)
    const document = await showPlan(push, await planUndo(push, named, signal))
    printPushPlan(document, terminal)
    return planExitStatus(document)
  })
