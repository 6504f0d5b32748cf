import { DAY_MS, fromIso } from '../calendar/days.ts'
import type { OutboundOperation, OutboundStore } from '../connectors/destination/outbound.ts'
import { factsOf, judgeEnd } from './operation-facts.ts'
import { plansOfStore } from './plan-files.ts'
import type { PlanFacts } from './plan-files.ts'

const DONE: ReadonlySet<string> = new Set(['confirmed', 'unchanged'])

/** A lot that had moved and was left out, or that is not as it was posted, is not reconciled. */
const isDone = (operation: OutboundOperation): boolean =>
  DONE.has(operation.state) &&
  (factsOf(operation).stale ?? []).length === 0 &&
  judgeEnd([operation]) === undefined

/**
 * When a store was last reconciled as a whole: every line of every room counted, and each
 * difference sent and confirmed. A whole count without a difference is one, too. Epoch
 * milliseconds; undefined: never that we know of.
 */
export async function lastFullReconciliation(
  store: OutboundStore,
  storeId: string,
): Promise<number | undefined> {
  for (const { plan, createdAt, facts } of await plansOfStore(store, storeId)) {
    if ((facts as Partial<PlanFacts>).isWhole !== true) continue
    const operations = await store.operations(plan)
    if (!operations.every(isDone)) continue
    return Math.max(fromIso(createdAt), ...operations.map(({ changedAt }) => fromIso(changedAt)))
  }
  return undefined
}

export const daysSince = (atMs: number, nowMs: number): number =>
  Math.floor((nowMs - atMs) / DAY_MS)
