import { lotKey } from '../audit/quantities.ts'
import { nameReconciliation, reconciledLots } from '../audit/reconciled-lots.ts'
import { DAY_MS, fromIso, MINUTE_MS } from '../calendar/days.ts'
import type { OutboundOperation, OutboundStore } from '../connectors/destination/outbound.ts'
import { isMarkedDeleted, textOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { tokenIn } from './note.ts'
import { factsOf } from './operation-facts.ts'
import { plansOfStore } from './plan-files.ts'
import type { PlanDocument, PlanLine } from './plan.ts'

/** Clocks of the API and of this machine may differ by so much. */
const SKEW_MS = 5 * MINUTE_MS
/** A plan that was made so long before another one is not applied after it. */
const LASTS_MS = 30 * DAY_MS

/** A lot whose quantity somebody else has set: another plan, the till, another program. */
export interface PostedLot {
  key: string
  postedMs: number
  /** When it was counted; of what others posted nobody knows, and then it is when they did. */
  countedMs: number
  /** In a sentence, who it was. */
  by: string
}

/** The plan that asks; one that is still to be made has no id. */
export type AskingPlan = Pick<PlanDocument, 'store' | 'createdAt'> & { plan?: string }

/** What other plans of the store and, as far as its history shows, others have posted. */
export async function readPosted(
  store: Pick<OutboundStore, 'plans' | 'renames' | 'operations'>,
  { plan: own, store: storeId, createdAt }: AskingPlan,
  history: readonly Fields[],
): Promise<PostedLot[]> {
  const sinceMs = fromIso(createdAt) - LASTS_MS
  const recent = (await plansOfStore(store, storeId)).filter(
    ({ createdAt: at }) => fromIso(at) > sinceMs,
  )
  const operations = (await Promise.all(recent.map(({ plan }) => store.operations(plan))))
    .flat()
    .filter(({ state }) => state === 'confirmed')
  // What another copy of this database has sent is told by the history alone.
  const ours = operations.filter(one => factsOf(one).sent !== undefined)
  const ids = new Set(ours.flatMap(one => factsOf(one).reconciliationId ?? []))
  const tokens = new Set(ours.map(({ token }) => token))
  const isOurs = ({ id, note }: Fields): boolean =>
    ids.has(textOf(id) ?? '') || tokens.has(tokenIn(note) ?? '')
  return [
    ...ours.filter(({ plan }) => plan !== own).flatMap(lotsOfPlan),
    ...lotsOfOthers(
      history.filter(record => !isOurs(record)),
      sinceMs,
    ),
  ]
}

const lotsOfOthers = (history: readonly Fields[], sinceMs: number): PostedLot[] =>
  reconciledLots(history.filter(record => !isMarkedDeleted(record))).flatMap(lot => {
    const { key, atMs } = lot
    return atMs === undefined || atMs <= sinceMs
      ? []
      : [{ key, postedMs: atMs, countedMs: atMs, by: nameReconciliation(lot) }]
  })

function lotsOfPlan(operation: OutboundOperation): PostedLot[] {
  const { sent, sentAt, countedAt = [] } = factsOf(operation)
  if (sent === undefined || sentAt === undefined) return []
  return sent.productLossRequests.map(({ inventoryId, batchId }) => {
    const counted = countedAt.find(({ batch_id: batch }) => batch === batchId)
    return {
      key: lotKey(inventoryId, batchId),
      postedMs: fromIso(sentAt),
      // An operation of before it was remembered: nobody knows.
      countedMs: counted === undefined ? -Infinity : fromIso(counted.at),
      by: `the plan ${operation.plan} of ${sentAt}`,
    }
  })
}

/**
 * Who has posted a line's lot since the plan was made, or has posted a count of it that is newer
 * than the line's: then that is older than what the API has, also where the lot has come to the
 * same quantity again. A count may be corrected by a recount of the same sheet, which keeps the
 * time of the count. A clock that was set back must not hold a plan up: what bears a much later
 * time than now says nothing. Pure.
 */
export function laterPosting(
  line: Pick<PlanLine, 'inventory_id' | 'batch_id' | 'counted_at' | 'delta'>,
  posted: readonly PostedLot[],
  { madeMs, nowMs }: { madeMs: number; nowMs: number },
): PostedLot | undefined {
  const key = lotKey(line.inventory_id, line.batch_id)
  const isNewer = ({ countedMs }: PostedLot): boolean =>
    line.delta !== '0' && countedMs > fromIso(line.counted_at)
  return posted.find(
    one =>
      one.key === key && one.postedMs <= nowMs + SKEW_MS && (one.postedMs > madeMs || isNewer(one)),
  )
}

/** What a line's count is older than. */
export const describeLater = ({ by }: PostedLot): string =>
  `${by} has set this lot since it was counted`
