import type { PlanDocument, ShownOperation } from '../../push/document.ts'
import { namesPeople } from '../../push/people.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'

/** Actions, and what the page has to say for each. */
export type Wanted = (readonly [name: string, values: Readonly<Record<string, string>>])[]

const OVER: readonly string[] = ['undo planned', 'undone', 'discarded']
const UNSENT: readonly string[] = ['planned', 'approved', 'waiting']
const CAN_BE_SENT: readonly string[] = ['approved', 'incomplete']

/** What can still be decided about a push, by how it stands. */
export function pushActions(document: PlanDocument): Wanted {
  const shown: Wanted = namesPeople(document) ? [['show-push-people', { plan: document.plan }]] : []
  return [...decisions(document), ...shown]
}

function decisions(document: PlanDocument): Wanted {
  const { plan, state, stores } = document
  if (OVER.includes(state)) return []
  const operations = stores.flatMap(one => one.operations)
  const isSent = operations.some(({ receipt }) => receipt !== null)
  const wanted = approvals(document)
  if (CAN_BE_SENT.includes(state)) wanted.push(['apply-push', { plan }])
  for (const one of operations.filter(({ state: stands }) => stands === 'unknown')) {
    const about = { plan, op: one.id, record: one.name || one.externalId }
    wanted.push(['push-arrived', { ...about, id: one.targetId ?? '' }])
    wanted.push(['push-did-not-arrive', about])
  }
  if (isSent) wanted.push(['undo-push', { plan }])
  if (operations.some(one => UNSENT.includes(one.state))) wanted.push(['ask-push', { plan }])
  if (state !== 'applied') wanted.push(['discard-push', { plan }])
  return wanted
}

/** To allow it; while somebody asks for changes, to take that back. */
function approvals({ plan, hash, state, stores, changesAsked }: PlanDocument): Wanted {
  if (changesAsked.length > 0) return [['withdraw-push-request', { plan }]]
  const operations = stores.flatMap(one => one.operations)
  const isGuarded = operations.some(lacksApproval)
  const isPlain = operations.some(one => one.state === 'planned' && !lacksApproval(one))
  return [
    ...(state === 'planned' && isPlain ? [['approve-push', { plan, hash }] as const] : []),
    ...(isGuarded ? [['approve-guarded', { plan, hash }] as const] : []),
  ]
}

const lacksApproval = ({ approval }: ShownOperation): boolean => approval === 'required'

/** Of counts: what was not sent, or not taken. */
const LEFT: readonly string[] = ['planned', 'approved', 'failed']

/** The same for counts. */
export function countActions({ plan, hash, state, operations, changesAsked }: ShownPlan): Wanted {
  const unknown = operations.filter(({ choices }) => choices.length > 0)
  const isOpen = operations.some(one => LEFT.includes(one.state))
  const wanted: Wanted = unknown.map(({ op_id: op }) => ['resolve-counts', { plan, op }] as const)
  const isAsked = changesAsked.length > 0
  if (state === 'planned' && !isAsked) wanted.push(['approve-counts', { plan, hash }])
  if (isAsked) wanted.push(['withdraw-counts-request', { plan }])
  if (state === 'approved' || (isOpen && state !== 'planned'))
    wanted.push(['apply-counts', { plan }])
  if (isOpen) wanted.push(['ask-counts', { plan }], ['discard-counts', { plan }])
  return wanted
}
