import { lotKey, roomAndLot } from '../audit/quantities.ts'
import type { Quantities } from '../audit/quantities.ts'
import { fromIso } from '../calendar/days.ts'
import type { OutboundOperation } from '../connectors/destination/outbound.ts'
import { amountText, toAmount } from '../money/amount.ts'
import { describeLater, laterPosting } from './later-postings.ts'
import type { PostedLot } from './later-postings.ts'
import type { LotQuantity, StaleLot } from './operation-facts.ts'
import type { PlanDocument, PlanLine } from './plan.ts'

/** One operation of a plan: a room with its lines. */
export interface PlannedOperation {
  document: PlanDocument
  operation: OutboundOperation
}

export interface JudgedLots {
  before: LotQuantity[]
  /**
   * Lots that have moved since the plan, or that somebody has posted since they were counted; of a
   * full inventory, also those that have arrived.
   */
  stale: StaleLot[]
  fresh: PlanLine[]
  /** Why nothing of it may be sent. */
  refused: string | undefined
}

/**
 * What may be sent, by what lies in the room right now, and by what others have posted since it was
 * counted. Pure.
 */
export function judgeLots(
  posting: PlannedOperation,
  quantities: Quantities,
  posted: readonly PostedLot[],
  nowMs: number,
): JudgedLots {
  const lines = linesOf(posting)
  const clock = { madeMs: fromIso(posting.document.createdAt), nowMs }
  const later = new Map(lines.map(line => [line, laterPosting(line, posted, clock)]))
  const isFresh = (line: PlanLine): boolean =>
    toAmount(line.qty_before) === (quantities.get(keyOf(line)) ?? 0n) &&
    later.get(line) === undefined
  const fresh = lines.filter(isFresh)
  const moved = lines
    .filter(line => !isFresh(line))
    .map((line): StaleLot => {
      const by = later.get(line)
      const [lot] = quantitiesOf(quantities, [line])
      return by === undefined ? lot! : { ...lot!, why: describeLater(by) }
    })
  const before = quantitiesOf(quantities, lines)
  if (!posting.document.isFull) {
    const refused = fresh.length === 0 ? describeStale(lines.length) : undefined
    return { before, stale: moved, fresh, refused }
  }
  const arrived = arrivedIn(posting, quantities)
  const refused = moved.length + arrived.length === 0 ? undefined : refuseFull(moved, arrived)
  return { before, stale: [...moved, ...arrived], fresh, refused }
}

/** Lots that lie in the operation's room and are not in the plan. */
function arrivedIn(posting: PlannedOperation, quantities: Quantities): LotQuantity[] {
  const planned = new Set(linesOf(posting).map(keyOf))
  const room = roomOf(posting)
  return [...quantities].flatMap(([key, amount]) => {
    const { inventoryId, batchId } = roomAndLot(key)
    return inventoryId === room && amount !== 0n && !planned.has(key)
      ? [{ batch_id: batchId, quantity: amountText(amount, 0) }]
      : []
  })
}

/** A full inventory says that what it does not list is not there, so nothing can be left out. */
function refuseFull(moved: readonly StaleLot[], arrived: readonly LotQuantity[]): string {
  const nameOf = ({ batch_id: batch, why }: StaleLot): string =>
    why === undefined ? batch : `${batch}, ${why}`
  const named = (what: string, lots: readonly StaleLot[]): string[] =>
    lots.length === 0 ? [] : [`${what}: ${lots.map(nameOf).join(', ')}`]
  const why = [...named('changed', moved), ...named('arrived', arrived)].join('; ')
  return (
    `since the plan or the count was made, lots of the room have changed (${why}), ` +
    'and a full inventory without them would say that they are not there: count again'
  )
}

const describeStale = (lines: number): string =>
  `${lines === 1 ? 'the lot has' : `all ${lines} lots have`} changed since the plan, ` +
  'or since the count: count again'

export const operationOf = ({
  document,
  operation,
}: PlannedOperation): PlanDocument['operations'][number] =>
  document.operations.find(({ op_id: op }) => op === operation.op)!

export const roomOf = (posting: PlannedOperation): string => operationOf(posting).inventory_id

export const linesOf = ({ document, operation }: PlannedOperation): PlanLine[] =>
  document.lines.filter(({ op_id: op }) => op === operation.op)

export const keyOf = ({ inventory_id: inventory, batch_id: batch }: PlanLine): string =>
  lotKey(inventory, batch)

export const quantitiesOf = (quantities: Quantities, lines: readonly PlanLine[]): LotQuantity[] =>
  lines.map(line => ({
    batch_id: line.batch_id,
    quantity: amountText(quantities.get(keyOf(line)) ?? 0n, 0),
  }))
