import { movedByMore } from '../../money/decimal.ts'
import { needsApproval, PRICES, sends } from '../operation.ts'
import type { Operation } from '../operation.ts'
import type { PushPolicy } from '../settings.ts'

/**
 * Why a plan waits for a person; undefined where the policy of tillage.yaml allows all of it. Deny
 * by default: what no rule names is not allowed.
 */
export function whyNotByPolicy(
  operations: readonly Operation[],
  policy: PushPolicy | undefined,
): string | undefined {
  if (policy === undefined) return 'no policy allows it'
  const stuck = operations.find(({ op }) => op === 'conflict' || op === 'blocked')
  if (stuck !== undefined) return `${stuck.id} is in ${stuck.op}`
  const sending = operations.filter(sends)
  if (sending.length > policy.operations)
    return `${sending.length} operations are more than ${policy.operations}`
  for (const operation of sending) {
    const why = whyNot(operation, policy)
    if (why !== undefined) return `${operation.id}: ${why}`
  }
  return undefined
}

function whyNot(operation: Operation, policy: PushPolicy): string | undefined {
  if (needsApproval(operation)) return `it has ${operation.flags.join(', ')}`
  if (operation.op === 'create') return policy.creations ? undefined : 'it creates'
  if (operation.op !== 'update') return `it is to ${operation.op}`
  const other = operation.changes.find(({ field }) => !policy.fields.includes(field))
  if (other !== undefined) return `${other.field} is not among its fields`
  const moved = operation.changes.find(
    ({ field, old, new: next }) =>
      PRICES.has(field) && movedByMore(old ?? '0', next ?? '0', BigInt(policy.priceChangePercent)),
  )
  return moved === undefined
    ? undefined
    : `${moved.field} moves by more than ${policy.priceChangePercent} %`
}
