import { approvePush } from '../../push/approve.ts'
import { showPlan } from '../../push/document.ts'
import { originHere } from '../../temporal/this-process.ts'
import { requireText } from '../arguments/choices.ts'
import type { Context } from '../command.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
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
  const who = requireText(
    by,
    '--by is missing',
    'An approval needs the name of a person: --by NAME.',
  )
  return withPush(config, async push => {
    const { plan } = (await loadNamedPlan(push, named, store)).plan
    await approvePush(push, named, {
      by: who,
      origin: originHere(),
      hash,
      guarded: (guarded ?? '').split(',').flatMap(id => (id.trim() === '' ? [] : [id.trim()])),
    })
    printPushPlan(await showPlan(push, plan), terminal)
    return 0
  })
}
