import { toIso } from '../calendar/days.ts'
import { TillageError, UsageError } from '../errors.ts'
import { sendAgain } from '../outbound/send.ts'
import type { OpenWork } from './open-work.ts'
import type { OperationFacts } from './operation-facts.ts'
import type { Reconciling } from './reconciling.ts'

export type Decision = NonNullable<OperationFacts['resolution']>

/** Who decides about a parked operation, and why, is written down before anything is done. */
export async function askResolution(
  { store, now }: Pick<Reconciling, 'store' | 'now'>,
  { plan, op }: { plan: string; op: string },
  { as, by, reason }: Omit<Decision, 'at'>,
): Promise<void> {
  if (by.trim() === '')
    throw new UsageError('a decision needs the name of a person', 'Give it with --by.')
  if (reason.trim() === '')
    throw new UsageError('a decision needs a reason', 'Give it with --reason.')
  const at = toIso(now())
  const resolution: Decision = { as, by: by.trim(), reason, at }
  const facts = { resolution }
  const [from, to] = [['unknown'] as const, 'unknown' as const]
  const event = `resolved as ${as}` as const
  const step = { plan, op, from, to, facts, at, event, by: by.trim(), detail: reason }
  if (await store.move(step)) return
  const stands = (await store.operation(plan, op))?.state
  if (stands === undefined)
    throw new UsageError(`${plan} has no operation ${op}`, 'tillage reconcile show lists them.')
  throw new TillageError('NOT_ALLOWED', `${op} of ${plan} is ${stands}, not unknown`, {
    remedy:
      'Only what is parked as unknown is decided by a person. ' +
      'tillage reconcile show shows the state of each.',
  })
}

/** Does what a person has decided about a parked operation. */
export async function carryOutDecision(work: OpenWork, decision: Decision): Promise<void> {
  if (decision.as !== 'retry') return decide(work, decision)
  await forget(work)
  await sendAgain(work.sending, await work.current(), decision)
}

/** A person has looked: it is there, or it is given up. Found in the history counts more. */
async function decide(work: OpenWork, { as, by, reason }: Decision): Promise<void> {
  const { store, operation, now } = work.posting
  const found = await work.sending.write.search()
  const { plan, op } = operation
  const to = as === 'confirm' || found.kind === 'found' ? 'confirmed' : 'abandoned'
  const facts = found.kind === 'found' ? found.facts : {}
  const event = found.kind === 'found' ? 'found' : to
  const step = { plan, op, from: ['unknown'], to, event, by, detail: reason } as const
  await store.move({ ...step, facts: { ...facts, resolution: undefined }, at: toIso(now()) })
}

/** Carried out once: a crash after this asks the person again. */
async function forget({ posting: { store, operation, now } }: OpenWork): Promise<void> {
  const { plan, op } = operation
  const step = { from: ['unknown'], to: 'unknown', event: 'retry begins', detail: '' } as const
  await store.move({ plan, op, ...step, facts: { resolution: undefined }, at: toIso(now()) })
}
