import { UsageError } from '../errors.ts'
import { approvePlan } from '../outbound/approve.ts'
import { loadPlan } from './load-plan.ts'
import type { RememberedPlan } from './load-plan.ts'
import { needsApproval } from './operation.ts'
import type { Push } from './push.ts'

export interface PushApproval {
  by: string
  /** `user@machine`. */
  origin: string
  /** What the person looked at; undefined where the plan's file itself was named. */
  hash?: string | undefined
  /** Operation or external ids, or `all`. */
  guarded: readonly string[]
}

/** Writes an approval down, with the guarded operations that it names. Approvals add up (INV-8). */
export async function approvePush(
  push: Push,
  named: string,
  { guarded, ...asked }: PushApproval,
): Promise<void> {
  const remembered = await loadPlan(push, named)
  const atMs = push.now()
  const ids = chooseGuarded(remembered, guarded)
  await approvePlan(push.outbound, remembered, { ...asked, atMs, guarded: ids })
}

/**
 * Ids of the guarded operations that are named; an unknown name is refused, and nothing approved.
 */
function chooseGuarded({ operations }: RememberedPlan, names: readonly string[]): string[] {
  const all = operations.map(({ planned }) => planned)
  if (names.includes('all')) return all.filter(needsApproval).map(({ id }) => id)
  const chosen = names.map(name => {
    const found = all.filter(({ id, externalId }) => id === name || externalId === name)
    if (found.length === 0)
      throw new UsageError(
        `--guarded names ${name}, which is not an operation of this plan`,
        'Nothing was approved. tillage push show lists the operations.',
      )
    return found.filter(needsApproval).map(({ id }) => id)
  })
  return [...new Set(chosen.flat())]
}
