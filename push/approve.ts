import type { OutboundPlan } from '../connectors/destination/outbound.ts'
import { UsageError } from '../errors.ts'
import { judgeApproval } from '../outbound/approval.ts'
import { loadPlan } from './find-plan.ts'
import { needsApproval } from './operation.ts'
import type { Operation } from './operation.ts'
import type { Push } from './push.ts'

export interface PushApproval {
  by: string
  /** What the person looked at; undefined where the plan's file itself was named. */
  hash?: string | undefined
  /** Operation or external ids, or `all`. */
  guarded: readonly string[]
  /** Of an approval by policy: the role that is written down. */
  role?: string
}

/** Writes an approval down, with the guarded operations that it names. Approvals add up (INV-8). */
export async function approvePlan(
  push: Pick<Push, 'outbound' | 'now'>,
  plan: OutboundPlan,
  { by, hash, guarded, role = '' }: PushApproval,
): Promise<void> {
  const { operations } = await loadPlan(push, plan)
  const ids = chooseGuarded(
    operations.map(({ planned }) => planned),
    guarded,
  )
  const atMs = push.now()
  const judged = judgeApproval(
    { hash: plan.hash, required: 1, validMs: Number.POSITIVE_INFINITY },
    // One person may approve more of a plan later.
    [],
    { by, hash, atMs },
  )
  if (!judged.allowed) throw new UsageError(judged.why, 'Nothing was approved.')
  for (;;) {
    const before = await push.outbound.approvals(plan.plan)
    const approval = {
      plan: plan.plan,
      by,
      role,
      at: new Date(atMs).toISOString(),
      hash: plan.hash,
      facts: { guarded: ids },
    }
    if (await push.outbound.approve(approval, before.length)) return
  }
}

/**
 * Ids of the guarded operations that are named; an unknown name is refused, and nothing approved.
 */
function chooseGuarded(operations: readonly Operation[], names: readonly string[]): string[] {
  if (names.includes('all')) return operations.filter(needsApproval).map(({ id }) => id)
  const chosen = names.map(name => {
    const found = operations.filter(({ id, externalId }) => id === name || externalId === name)
    if (found.length === 0)
      throw new UsageError(
        `--guarded names ${name}, which is no operation of this plan`,
        'Nothing was approved. tillage push show lists the operations.',
      )
    return found.filter(needsApproval).map(({ id }) => id)
  })
  return [...new Set(chosen.flat())]
}
