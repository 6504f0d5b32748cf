import { UsageError } from '../../errors.ts'
import { approvePlan } from '../../push/approve.ts'
import { describePlan } from '../../push/document.ts'
import { loadPlan } from '../../push/find-plan.ts'
import type { Context } from '../command.ts'
import { findNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

export interface PushApproveOptions {
  by?: string
  hash?: string
  guarded?: string
  store?: string
}

/** `tillage push approve PLAN --by NAME`: allows what `apply` sends. May be repeated. */
export async function pushApprove(
  { config, terminal }: Context,
  { by, hash, guarded, store }: PushApproveOptions,
  named: string,
): Promise<number> {
  if (by === undefined || by.trim() === '')
    throw new UsageError('--by is missing', 'An approval is a person: --by NAME.')
  return withPush(config, async push => {
    const plan = await findNamedPlan(push, named, store)
    await approvePlan(push, plan, {
      by: by.trim(),
      hash,
      guarded: (guarded ?? '').split(',').flatMap(id => (id.trim() === '' ? [] : [id.trim()])),
    })
    printPushPlan(describePlan(await loadPlan(push, plan), push.now()), terminal)
    return 0
  })
}
