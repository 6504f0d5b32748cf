import { readLots, readRooms } from '../audit/quantities.ts'
import type { Quantities } from '../audit/quantities.ts'
import type { StoreApi } from '../audit/store-api.ts'
import { fromIso, MINUTE_MS, toIso } from '../calendar/days.ts'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import { call } from '../connectors/partner/call.ts'
import { products } from '../connectors/partner/streams/products.ts'
import { PartnerError } from '../errors.ts'
import { toAmount } from '../money/amount.ts'
import { outcomeOf, TAKEN_OVER } from '../outbound/outcome.ts'
import type { LookUpOutcome, Outcome, Unclear } from '../outbound/outcome.ts'
import { mayBeSentElsewhere } from '../outbound/restored.ts'
import type { Write } from '../outbound/sending.ts'
import { isUnread } from '../reading/prove-list.ts'
import { textOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { findPosting, readHistory } from './find-posting.ts'
import { judgeLots, keyOf, linesOf, operationOf, roomOf } from './judge-lots.ts'
import type { PlannedOperation } from './judge-lots.ts'
import { readPosted } from './later-postings.ts'
import { hasToken } from './note.ts'
import { factsOf } from './operation-facts.ts'
import type { OperationFacts, SentBody } from './operation-facts.ts'
import type { PlanLine } from './plan.ts'
import { factsOfAnother, recordFacts, takenBefore } from './posted-record.ts'

export interface Posting extends PlannedOperation {
  api: StoreApi
  store: OutboundStore
  now(): number
  signal: AbortSignal
  /** When the database was restored from a backup, if it was. */
  restoredMs?: number | undefined
}

/** One room with its changed lines: one POST, and how it is found in the history. */
export const createWrite = (posting: Posting): Write => ({
  send: attempt => post(posting, attempt),
  search: () => lookUp(posting),
})

/**
 * Looks for it in the history, at the lots once more, leaves out those that have moved since the
 * plan, writes down what is sent, and sends it. A full inventory goes whole or not at all.
 */
async function post(posting: Posting, attempt: number): Promise<Outcome> {
  const found = await search(posting)
  if (found.kind === 'found') return takenAlready(posting, found.record)
  if (found.kind === 'unclear')
    return { ...found, kind: 'not taken', why: `it was not sent: ${found.why}` }
  const lots = await readNow(posting, linesOf(posting))
  if (lots.kind !== 'quantities') return lots
  const posted = await readPosted(posting.store, posting.document, found.history)
  const judged = judgeLots(posting, lots.quantities, posted, posting.now())
  const at = toIso(posting.now())
  const { before, stale } = judged
  if (judged.refused !== undefined) {
    const isStill = await writeDown(posting, attempt, { lookedAt: at, before, stale })
    return isStill ? { kind: 'stale', why: judged.refused } : TAKEN_OVER
  }
  const sent = bodyOf(posting, judged.fresh)
  const countedAt = judged.fresh.map(line => ({ batch_id: line.batch_id, at: line.counted_at }))
  const facts: OperationFacts = { lookedAt: at, before, stale, sent, sentAt: at, countedAt }
  if (!(await writeDown(posting, attempt, facts))) return TAKEN_OVER
  return sendBody(posting, sent)
}

/** By an earlier attempt of ours that was taken late, or by another copy. */
const takenAlready = async (posting: Posting, record: Fields): Promise<Outcome> =>
  (await sentBefore(posting)) === undefined
    ? takenBefore(posting, record)
    : { kind: 'confirmed', facts: { ...recordFacts(record) } }

async function sendBody(posting: Posting, sent: SentBody): Promise<Outcome> {
  const { api, signal } = posting
  try {
    // Stopped until here, nothing was sent; from here on the answer is waited for.
    const answer = await api.governor.run(async () =>
      signal.aborted
        ? undefined
        : call(api.client, 'createReconciliation', { body: wireText(sent) }),
    )
    return answer === undefined ? STOPPED_BEFORE : await confirmed(posting, answer.value)
  } catch (error) {
    return explainRefusal(outcomeOf(error), error)
  }
}

const STOPPED_BEFORE = { kind: 'not taken', why: 'stopped before it was sent' } as const

/** Which permission is missing, where to ask for it, and what works without it. */
function explainRefusal(outcome: Outcome, error: unknown): Outcome {
  const isForbidden = error instanceof PartnerError && error.code === 'PARTNER_PERMISSION'
  if (!isForbidden || outcome.kind !== 'rejected') return outcome
  const why =
    `${outcome.why}. The partner key lacks PERFORM_RECONCILIATION: ask the platform for it. ` +
    'Snapshots, sheets and reports work without it'
  return { kind: 'rejected', why }
}

/**
 * An answer is believed where the history shows its record; without a record, or about another
 * note, it is none.
 */
async function confirmed(posting: Posting, answer: Fields): Promise<Outcome> {
  const id = textOf(answer['id'])
  const note = textOf(answer['note'])
  const isOurs = note === undefined || hasToken(note, posting.operation.token)
  if (id === undefined || !isOurs)
    return { kind: 'unknown', why: 'the answer is not the record of this reconciliation' }
  const found = await search(posting)
  if (found.kind === 'found') return { kind: 'confirmed', facts: { ...recordFacts(found.record) } }
  const why = found.kind === 'absent' ? 'the history does not show it' : found.why
  return { kind: 'unknown', why: `the API answered with reconciliation ${id}, and ${why}` }
}

type LotsNow =
  | { kind: 'quantities'; quantities: Quantities }
  | Extract<Outcome, { kind: 'not taken' }>

/** Nothing was sent yet: an API that cannot be read will not be written either. */
async function readNow(posting: Posting, lines: readonly PlanLine[]): Promise<LotsNow> {
  try {
    return { kind: 'quantities', quantities: await readQuantities(posting, lines) }
  } catch (error) {
    if (posting.signal.aborted) return STOPPED_BEFORE
    if (!isUnread(error)) throw error
    const why = `the lots could not be read: ${error.message}`
    return { kind: 'not taken', why, retryAfterMs: error.retryAfterMs }
  }
}

/** Of a full inventory the whole room: what it does not list must not be there. */
function readQuantities(posting: Posting, lines: readonly PlanLine[]): Promise<Quantities> {
  const { api, document } = posting
  if (document.isFull) return readRooms(api, [roomOf(posting)], () => allProducts(api))
  const lots = lines.map(({ inventory_id: inventoryId, product_id: productId }) => ({
    inventoryId,
    productId,
  }))
  return readLots(api, lots)
}

/** Where the API has no list of a room: what has arrived may be of any product. */
const allProducts = async (api: StoreApi): Promise<string[]> =>
  (await api.readList(products)).flatMap(({ id }) => textOf(id) ?? [])

const writeDown = (
  { store, operation: { plan, op }, now }: Posting,
  attempt: number,
  facts: OperationFacts,
): Promise<boolean> =>
  store.move({
    plan,
    op,
    from: ['submitted'],
    attempt,
    to: 'submitted',
    facts: { ...facts },
    at: toIso(now()),
    event: 'looked',
    detail:
      facts.stale!.length === 0
        ? 'each lot is as it was planned on'
        : 'changed since the plan or the count, and not sent: ' +
          facts.stale!.map(one => one.batch_id).join(', '),
  })

type Searched =
  | { kind: 'found'; record: Fields }
  | { kind: 'absent'; wasNeverSent: boolean; history: readonly Fields[] }
  | Unclear

/**
 * Looks through the whole history for the token. Absent is only what a proven list does not show,
 * where the quantities are not as if it had been taken.
 */
async function search(posting: Posting): Promise<Searched> {
  const { api, operation } = posting
  try {
    const history = await readHistory(api)
    const sought = { token: operation.token, inventoryId: roomOf(posting) }
    const found = findPosting(history, sought)
    if (found.kind === 'found') return found
    if (found.kind === 'odd') return { kind: 'unclear', why: found.why }
    const sent = await sentBefore(posting)
    const doubt = (await lagsBehind(posting, history)) ?? (await looksTaken(posting, sent))
    return doubt === undefined
      ? { kind: 'absent', wasNeverSent: sent === undefined, history }
      : { kind: 'unclear', why: doubt }
  } catch (error) {
    if (!isUnread(error)) throw error
    const { message: why, retryAfterMs } = error
    return { kind: 'unclear', why, retryAfterMs }
  }
}

/** The same, as the mechanism asks for it. */
async function lookUp(posting: Posting): Promise<LookUpOutcome> {
  const found = await search(posting)
  if (found.kind === 'absent') return { kind: 'absent', wasNeverSent: isNever(posting, found) }
  if (found.kind === 'unclear') return found
  const { record } = found
  return (await sentBefore(posting)) === undefined
    ? { kind: 'found', facts: { ...factsOfAnother(posting, record) } }
    : { kind: 'found', facts: { ...recordFacts(record) } }
}

const isNever = ({ operation, restoredMs }: Posting, found: { wasNeverSent: boolean }): boolean =>
  found.wasNeverSent && !mayBeSentElsewhere(operation, restoredMs)

/** What goes out is written down before it goes: undefined means that nothing did. */
async function sentBefore({
  store,
  document,
  operation,
}: Posting): Promise<OperationFacts['sent']> {
  const current = await store.operation(document.plan, operation.op)
  return current === undefined ? undefined : factsOf(current).sent
}

/** A list that lags behind shows after this time what it has not shown at once. */
const LONGEST_LAG_MS = 10 * MINUTE_MS

/**
 * A history that lacks what was just confirmed lags behind, and may lack ours too. What it lacks
 * after that is hidden or gone, which says nothing of ours.
 */
async function lagsBehind(
  { store, document, now }: Posting,
  history: readonly Fields[],
): Promise<string | undefined> {
  const shown = new Set(history.map(({ id }) => textOf(id)))
  const missing = (await store.operations(document.plan))
    .filter(({ changedAt }) => now() - fromIso(changedAt) < LONGEST_LAG_MS)
    .flatMap(operation => factsOf(operation).reconciliationId ?? [])
    .find(id => !shown.has(id))
  return missing === undefined
    ? undefined
    : `the history does not show reconciliation ${missing}, which it has just shown`
}

/** It may have been taken all the same, where the lots are just as it would have made them. */
async function looksTaken(
  posting: Posting,
  sent: OperationFacts['sent'],
): Promise<string | undefined> {
  const lines = linesOf(posting).filter(
    ({ batch_id: batch, delta }) =>
      delta !== '0' && sent?.productLossRequests.some(({ batchId }) => batchId === batch) === true,
  )
  if (lines.length === 0) return undefined
  const lots = await readNow(posting, lines)
  if (lots.kind !== 'quantities') return lots.why
  const isAsPosted = lines.every(
    line => (lots.quantities.get(keyOf(line)) ?? 0n) === toAmount(line.qty_to_post),
  )
  return isAsPosted
    ? 'the history does not show it, but each lot has the quantity that it would have set'
    : undefined
}

function bodyOf({ document, operation }: Posting, lines: readonly PlanLine[]): SentBody {
  const { note, inventory_id: inventoryId } = operationOf({ document, operation })
  return {
    inventoryId,
    ...(document.employeeId === null ? {} : { employeeId: document.employeeId }),
    note,
    batchReconcile: true,
    audit: true,
    ...(document.isBlind ? { blind: true } : {}),
    ...(document.isFull ? { fullInventory: true } : {}),
    reportLoss: false,
    productLossRequests: lines.map(line => ({
      productId: line.product_id,
      batchId: line.batch_id,
      inventoryId,
      newQuantity: line.qty_to_post,
    })),
  }
}

const wireText = (body: SentBody): string => JSON.stringify(onWire(body))

/** Quantities go out as numbers, with the digits that they have (INV-6). */
export const onWire = (body: SentBody): object => ({
  ...body,
  productLossRequests: body.productLossRequests.map(line => ({
    ...line,
    newQuantity: JSON.rawJSON(line.newQuantity),
  })),
})
