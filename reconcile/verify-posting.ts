import { movedBetween, movementsOf } from '../audit/movement.ts'
import type { Movement } from '../audit/movement.ts'
import { readLots } from '../audit/quantities.ts'
import { readTransactions } from '../audit/read-transactions.ts'
import { fromIso, toIso } from '../calendar/days.ts'
import type { OutboundOperation } from '../connectors/destination/outbound.ts'
import { PartnerError, TillageError } from '../errors.ts'
import { toAmount } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import type { LookUpOutcome } from '../outbound/outcome.ts'
import { searchPatiently } from '../outbound/search.ts'
import type { Sending } from '../outbound/sending.ts'
import { keyOf, linesOf, quantitiesOf } from './judge-lots.ts'
import {
  factsOf,
  isNotTaken,
  isUnexplained,
  joinParts,
  NOT_TAKEN,
  quantityOf,
  UNEXPLAINED,
} from './operation-facts.ts'
import type { OperationFacts } from './operation-facts.ts'
import type { PlanLine } from './plan.ts'
import type { Posting } from './post.ts'

/** Lots may follow their posting so late. */
const FOLLOWS_WITHIN_MS = 10_000

/**
 * Each lot is read again: before + delta = after, or why not is named. While one is as it was
 * before, or as nothing explains, it is looked at again for some seconds (decision 17).
 */
export async function verifyPosting(
  sending: Sending,
  posting: Posting,
  operation: OutboundOperation,
): Promise<OperationFacts> {
  const write = { search: () => searchLots(posting, operation) }
  const patienceMs = Math.min(sending.rules.patienceMs, FOLLOWS_WITHIN_MS)
  const { facts } = await searchPatiently({ ...sending, write }, posting.now(), patienceMs)
  return { ...facts, verifiedAt: toIso(posting.now()) }
}

type LotsSeen = Extract<LookUpOutcome, { kind: 'found' | 'otherwise' }>

async function searchLots(posting: Posting, operation: OutboundOperation): Promise<LotsSeen> {
  const facts = await compareLots(posting, operation)
  const odd = facts.discrepancies.find(one => isNotTaken(one) || isUnexplained(one))
  return odd === undefined
    ? { kind: 'found', facts: { ...facts } }
    : { kind: 'otherwise', why: odd.discrepancy, facts: { ...facts }, mayStillCome: true }
}

async function compareLots(
  posting: Posting,
  operation: OutboundOperation,
): Promise<Required<Pick<OperationFacts, 'after' | 'discrepancies'>>> {
  const { api } = posting
  const facts = factsOf(operation)
  const lines = linesOf({ ...posting, operation }).filter(line => wasSent(facts, line))
  const lots = lines.map(({ inventory_id, product_id }) => ({
    inventoryId: inventory_id,
    productId: product_id,
  }))
  const quantities = await readLots(api, lots)
  const movements = await readMovements(posting, facts)
  const judged = lines.map(line => ({
    batch_id: line.batch_id,
    discrepancy: judgeLine({
      line,
      after: quantities.get(keyOf(line)) ?? 0n,
      replaced: toAmount(quantityOf(facts.replaced, line.batch_id)),
      movements,
      lookedMs: fromIso(facts.lookedAt!),
      committedMs: facts.committedMs ?? undefined,
    }),
  }))
  return {
    after: quantitiesOf(quantities, lines),
    discrepancies: judged.flatMap(({ batch_id, discrepancy }) =>
      discrepancy === null ? [] : [{ batch_id, discrepancy }],
    ),
  }
}

const wasSent = ({ sent }: OperationFacts, { batch_id: batch }: PlanLine): boolean =>
  sent?.productLossRequests.some(({ batchId }) => batchId === batch) === true

/** Undefined: what was sold meanwhile could not be proven, so nothing is explained by it. */
async function readMovements(
  { api, document, now, signal }: Posting,
  { lookedAt }: OperationFacts,
): Promise<Movement[] | undefined> {
  try {
    const range = { fromMs: fromIso(lookedAt!), nowMs: now(), timeZone: document.timeZone }
    const { transactions } = await readTransactions(api, range, signal)
    return movementsOf(transactions)
  } catch (error) {
    if (error instanceof PartnerError) return undefined
    if (error instanceof TillageError && error.code === 'MOVEMENT_UNPROVEN') return undefined
    throw error
  }
}

export interface LineSeen {
  line: PlanLine
  after: Amount
  /** What the API says that it replaced; undefined: it does not say. */
  replaced: Amount | undefined
  /** Undefined: unknown. */
  movements: readonly Movement[] | undefined
  lookedMs: number
  /** Undefined: the API does not say. */
  committedMs: number | undefined
}

/**
 * Why a lot is not as it was posted, or what the final amount has overwritten; null: all is as it
 * should be. Pure.
 */
export function judgeLine(seen: LineSeen): string | null {
  const { line, after, replaced, movements = [], lookedMs } = seen
  const before = toAmount(line.qty_before)!
  const toPost = toAmount(line.qty_to_post)!
  const moved = (afterMs: number, untilMs?: number): Amount =>
    movedBetween(movements, keyOf(line), afterMs, untilMs)
  const commits = commitsOf(seen)
  const committedMs = commits.find(ms => toPost + moved(ms) === after) ?? commits[0]!
  const overwritten = moved(lookedMs, committedMs)
  const later = moved(committedMs)
  const isOverwritten = overwritten !== 0n || (replaced !== undefined && replaced !== before)
  const isTaken = after === toPost || after !== before
  const named = [
    ...(isOverwritten && isTaken ? ['sale overwritten'] : []),
    ...(after === toPost ? [] : [explain({ after, before, toPost, later })]),
  ]
  return named.length === 0 ? null : joinParts(named)
}

/**
 * After which instant the commit may have come: what moved in its very millisecond may have come
 * before it or after it, and where the API does not say when it was, everything since then.
 */
function commitsOf({ movements = [], lookedMs, committedMs }: LineSeen): number[] {
  if (committedMs !== undefined) return [committedMs, committedMs - 1]
  const times = movements.map(({ atMs }) => atMs).filter(atMs => atMs > lookedMs)
  return [Infinity, ...times.map(atMs => atMs - 1)]
}

function explain(lot: { after: Amount; before: Amount; toPost: Amount; later: Amount }): string {
  const { after, before, toPost, later } = lot
  if (later !== 0n && toPost + later === after) return 'sale'
  return after === before ? NOT_TAKEN : UNEXPLAINED
}
