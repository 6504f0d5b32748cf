import type { PlanDocument } from '../../push/document.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'

type Wanted = (readonly [name: string, values: Readonly<Record<string, string>>])[]

const OVER: readonly string[] = ['undone', 'discarded']
const CAN_BE_SENT: readonly string[] = ['approved', 'incomplete']

/** What can still be decided about a push, by how it stands. */
export function pushActions({ plan, hash, state, stores }: PlanDocument): Wanted {
  if (OVER.includes(state)) return []
  const operations = stores.flatMap(one => one.operations)
  const lacks = operations.some(({ approval }) => approval === 'required')
  const isSent = operations.some(({ receipt }) => receipt !== null)
  const wanted: Wanted = []
  if (state === 'planned') wanted.push(['approve-push', { plan, hash }])
  if (lacks) wanted.push(['approve-guarded', { plan, hash }])
  if (CAN_BE_SENT.includes(state)) wanted.push(['apply-push', { plan }])
  for (const { id: op } of operations.filter(one => one.state === 'unknown'))
    wanted.push(['push-arrived', { plan, op }], ['push-did-not-arrive', { plan, op }])
  if (isSent) wanted.push(['undo-push', { plan }])
  if (state !== 'applied') wanted.push(['discard-push', { plan }])
  return wanted
}

/** The same for counts. */
export function countActions({ plan, hash, state, operations }: ShownPlan): Wanted {
  const unknown = operations.filter(({ choices }) => choices.length > 0)
  const isOpen = operations.some(one => one.state === 'planned' || one.state === 'failed')
  const wanted: Wanted = unknown.map(({ op_id: op }) => ['resolve-counts', { plan, op }] as const)
  if (state === 'planned') wanted.push(['approve-counts', { plan, hash }])
  if (state === 'approved' || (isOpen && state !== 'planned'))
    wanted.push(['apply-counts', { plan }])
  if (isOpen) wanted.push(['discard-counts', { plan }])
  return wanted
}
