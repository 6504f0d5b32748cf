import { lotKey } from '../audit/quantities.ts'
import { DAY_MS, fromIso } from '../calendar/days.ts'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import { factsOf } from './operation-facts.ts'
import type { PlanFacts } from './plan-files.ts'
import type { PlanDocument } from './plan.ts'

/** A plan that was made so long before another one is not applied after it. */
const LASTS_MS = 30 * DAY_MS

/**
 * Lots that another plan has posted since this one was made. What was counted for this one is older
 * than that, also where such a lot has come to the same quantity again.
 */
export async function postedSince(
  store: Pick<OutboundStore, 'plans' | 'operations'>,
  { plan: own, store: storeId, createdAt }: Pick<PlanDocument, 'plan' | 'store' | 'createdAt'>,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const madeMs = fromIso(createdAt)
  const others = (await store.plans('reconcile')).filter(
    ({ plan, createdAt: at, facts }) =>
      plan !== own &&
      (facts as Partial<PlanFacts>).store === storeId &&
      fromIso(at) > madeMs - LASTS_MS,
  )
  const operations = await Promise.all(others.map(({ plan }) => store.operations(plan)))
  // A clock that was set back must not hold a plan up: what bears a later time says nothing.
  const isSince = (sentAt: string): boolean => fromIso(sentAt) > madeMs && fromIso(sentAt) <= nowMs
  const posted = operations
    .flat()
    .filter(({ state }) => state === 'confirmed')
    .map(factsOf)
    .filter(({ sentAt }) => sentAt !== undefined && isSince(sentAt))
  return new Set(
    posted.flatMap(({ sent }) =>
      (sent?.productLossRequests ?? []).map(lot => lotKey(lot.inventoryId, lot.batchId)),
    ),
  )
}
