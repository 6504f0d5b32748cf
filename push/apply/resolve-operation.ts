import type { OperationState } from '../../connectors/destination/outbound.ts'
import { UsageError } from '../../errors.ts'
import { inRun } from '../../outbound/run.ts'
import type { JsonRecord } from '../../text/exact-json.ts'
import { STOPPED } from '../document.ts'
import { isDeleted } from '../live.ts'
import { loadPlan } from '../load-plan.ts'
import type { RememberedPlan } from '../load-plan.ts'
import type { Operation } from '../operation.ts'
import type { Push } from '../push.ts'
import { createReader } from '../read-list.ts'
import { differences } from './body.ts'
import { keepReceipt } from './receipts.ts'

/** What a person knows of a parked operation. */
export type Answer = { kind: 'not sent' } | { kind: 'sent'; targetId: string }

export interface Resolution {
  op: string
  by: string
  answer: Answer
  signal: AbortSignal
}

/**
 * Takes a person's word on an operation that is parked. "Not sent": the next apply searches once
 * more and sends it. "Sent": the record that is named must be there, and be as planned.
 */
export async function resolveOperation(
  push: Push,
  named: string,
  resolution: Resolution,
): Promise<void> {
  const { plan } = (await loadPlan(push, named)).plan
  const place = { store: push.outbound, runner: push.runner, now: push.now }
  await inRun(place, { plan, act: 'resolve' }, () => resolve(push, plan, resolution))
}

async function resolve(
  push: Push,
  plan: string,
  { op, by, answer, signal }: Resolution,
): Promise<void> {
  const remembered = await loadPlan(push, plan)
  const found = remembered.operations.find(({ planned }) => planned.id === op)
  if (found === undefined)
    throw new UsageError(`${plan} has no operation ${op}`, 'tillage push show lists them.')
  const from = parkedStates(remembered)
  if (!from.includes(found.stands.state))
    throw new UsageError(
      `${op} is not parked: it is ${found.stands.state}`,
      'Only an operation that is unknown waits for a person.',
    )
  const step = { plan, op, from, event: 'resolved', by } as const
  const at = new Date(push.now()).toISOString()
  if (answer.kind === 'not sent') {
    await push.outbound.move({ ...step, to: 'failed', at, detail: `${by} says: not sent` })
    return
  }
  const { planned } = found
  const { targetId } = answer
  const after = await readNamed(push, remembered, { planned, targetId, signal })
  const facts = { targetId, after: JSON.stringify(after) }
  const detail = `${by} says: sent, and the record shows it`
  if (!(await push.outbound.move({ ...step, to: 'confirmed', at, facts, detail }))) return
  const stands = (await push.outbound.operation(plan, op))!
  await keepReceipt(push, remembered, planned, stands)
}

/**
 * Of a plan that has stopped, nobody searches any more for what was on its way when a process died.
 */
const parkedStates = ({ events }: RememberedPlan): OperationState[] =>
  events.some(({ event }) => event === STOPPED) ? ['unknown', 'submitted'] : ['unknown']

async function readNamed(
  push: Push,
  remembered: RememberedPlan,
  { planned, targetId, signal }: { planned: Operation; targetId: string; signal: AbortSignal },
): Promise<JsonRecord> {
  if (planned.targetId !== null && planned.targetId !== targetId)
    throw new UsageError(`${planned.id} is about ${planned.targetId}, not about ${targetId}`)
  const reader = createReader(push.store(planned.store), push.streams, signal)
  const record = await reader.record(planned.entity, targetId)
  if (record === undefined || isDeleted(record))
    throw new UsageError(
      `there is no record ${targetId} in ${planned.store}`,
      'Nothing was changed.',
    )
  const ids = new Map(
    remembered.operations.flatMap(({ stands: { op, state, facts } }) =>
      state === 'confirmed' ? [[op, String(facts['targetId'])] as const] : [],
    ),
  )
  const known = { ids, assets: await push.memory.assets(planned.store) }
  const wrong = differences(record, planned.changes, known)
  if (wrong.length === 0) return record
  throw new UsageError(
    `${targetId} is not as planned in ${wrong.join(', ')}`,
    'Nothing was changed. If it was not sent, say so: --not-sent.',
  )
}
