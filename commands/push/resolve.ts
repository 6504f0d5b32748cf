import { UsageError } from '../../errors.ts'
import { resolveOperation } from '../../push/apply/resolve-operation.ts'
import type { Answer } from '../../push/apply/resolve-operation.ts'
import { showPlan } from '../../push/document.ts'
import { requireText } from '../arguments/choices.ts'
import type { Context } from '../command.ts'
import { loadNamedPlan, withPush } from './open-push.ts'
import { printPushPlan } from './print-plan.ts'

export interface PushResolveOptions {
  notSent?: boolean
  sent?: string
  by?: string
  store?: string
}

/** `tillage push resolve PLAN OP`: what a person knows of a parked operation. */
export async function pushResolve(
  { config, terminal, signal }: Context,
  options: PushResolveOptions,
  ...[named, op]: [plan: string, op: string]
): Promise<number> {
  const remedy = 'An answer needs the name of a person: --by NAME.'
  const by = requireText(options.by, '--by is missing', remedy)
  const answer = chooseAnswer(options)
  return withPush(config, async push => {
    const { plan } = (await loadNamedPlan(push, named, options.store)).plan
    await resolveOperation(push, named, { op, by, answer, signal })
    printPushPlan(await showPlan(push, plan), terminal)
    return 0
  })
}

function chooseAnswer({ notSent, sent }: PushResolveOptions): Answer {
  if ((notSent === true) === (sent !== undefined))
    throw new UsageError(
      notSent === true ? '--not-sent and --sent contradict each other' : 'the answer is missing',
      'Say either --not-sent, or --sent TARGET_ID.',
    )
  return sent === undefined ? { kind: 'not sent' } : { kind: 'sent', targetId: sent }
}
