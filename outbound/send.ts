import { toIso } from '../calendar/days.ts'
import type { OperationState, OutboundOperation } from '../connectors/destination/outbound.ts'
import type { Outcome } from './outcome.ts'
import { searchRestored } from './restored.ts'
import { afterUnclear, confirm, endAttempt, pauseOf, searchOnce, standsNow } from './search.ts'
import type { Sending } from './sending.ts'

/** Who wants a parked operation sent once more, and why. */
export interface Person {
  by: string
  reason: string
}

/** An attempt that was recorded but did not come to its request in this time sends no more. */
const CLAIM_LASTS_MS = 15_000

/**
 * Brings one operation to an end: recorded before it is sent, sent once, and searched for after
 * every outcome that is not clear (INV-7). Killed anywhere, called again: what may have been sent
 * is searched for and never sent blindly. Answers how the operation stands.
 */
export async function carryOut(
  sending: Sending,
  operation: OutboundOperation,
): Promise<OperationState> {
  if (operation.state === 'unknown') return (await searchOnce(sending, operation)).state
  if (operation.state === 'submitted') {
    const state = await afterUnclear(sending, operation, {
      why: NO_ANSWER,
      sinceMs: sentAtMs(operation),
    })
    return state === 'submitted' ? send(sending, operation) : state
  }
  if (operation.state !== 'planned' && operation.state !== 'failed') return operation.state
  const state = await searchRestored(sending, operation)
  return state === operation.state ? send(sending, operation) : state
}

/**
 * A named person wants a parked operation sent once more; that happens only after the API was
 * searched again, and its answer was certain.
 */
export async function sendAgain(
  sending: Sending,
  operation: OutboundOperation,
  person: Person,
): Promise<OperationState> {
  const { state, isAbsent } = await searchOnce(sending, operation)
  return isAbsent ? send(sending, operation, person) : state
}

/**
 * Finds out what became of an operation that may have been sent, without ever sending it. Certainly
 * not there is `abandoned`, for the reason given, unless it is known as not taken already; what
 * cannot be told stays `unknown`.
 */
export async function settle(
  sending: Sending,
  operation: OutboundOperation,
  reason: string,
): Promise<OperationState> {
  const asking: Sending = { ...sending, rules: { ...sending.rules, whenAbsent: 'send again' } }
  const isAbsent = await isCertainlyAbsent(asking, operation)
  if (!isAbsent || operation.state === 'failed') return (await standsNow(asking, operation)).state
  return endAttempt(asking, operation, { to: 'abandoned', event: 'not sent', detail: reason })
}

async function isCertainlyAbsent(sending: Sending, operation: OutboundOperation): Promise<boolean> {
  if (operation.state !== 'submitted') return (await searchOnce(sending, operation)).isAbsent
  const sinceMs = sentAtMs(operation)
  return (await afterUnclear(sending, operation, { why: NO_ANSWER, sinceMs })) === 'submitted'
}

const NO_ANSWER = 'the run that sent it got no answer'

const sentAtMs = ({ changedAt }: OutboundOperation): number => Date.parse(changedAt)

async function send(
  sending: Sending,
  operation: OutboundOperation,
  person?: Person,
): Promise<OperationState> {
  const { mostSends } = sending.rules
  let current = operation
  for (let turn = 1; turn <= mostSends; turn++) {
    const by = turn === 1 ? person : undefined
    const { stands, retryAfterMs, isOver } = await trySend(sending, current, by)
    current = stands
    if (isOver === true || !mayBeSentAgain(current) || sending.isOver?.() === true) break
    if (current.state === 'failed' && turn < mostSends)
      await sending.sleep(retryAfterMs ?? pauseOf(sending.rules, turn))
  }
  return current.state
}

interface Attempt {
  stands: OutboundOperation
  retryAfterMs?: number | undefined
  /**
   * Nothing more comes of it here: another run has it, the API cannot be searched, or it refuses
   * the key. Others need not wait for that, so it is tried again after them.
   */
  isOver?: boolean
}

/** One sending at most, and what it made of the operation. */
async function trySend(
  sending: Sending,
  operation: OutboundOperation,
  person: Person | undefined,
): Promise<Attempt> {
  if (operation.state === 'failed') {
    // A gateway may have said no to a request that went through all the same.
    const { state, isAbsent } = await searchOnce(sending, operation)
    if (!isAbsent) return { stands: { ...operation, state }, isOver: true }
  }
  const allowedBy = await sending.permit()
  const claimed = await claim(sending, operation, { allowedBy, person })
  if (claimed === undefined) return { stands: await standsNow(sending, operation), isOver: true }
  const outcome = await sendFresh(sending, claimed)
  const isInDoubt = operation.state === 'unknown' && sending.rules.whenAbsent === 'park'
  const state =
    isInDoubt && outcome.kind === 'not taken'
      ? await parkAgain(sending, claimed, outcome.why)
      : await recordOutcome(sending, claimed, outcome)
  const { retryAfterMs, isOver = false } = outcome.kind === 'not taken' ? outcome : {}
  return { stands: { ...claimed, state }, retryAfterMs, isOver }
}

/** That nothing was sent this time says nothing of the sending before, which nobody knows. */
const parkAgain = (
  sending: Sending,
  claimed: OutboundOperation,
  why: string,
): Promise<OperationState> =>
  endAttempt(sending, claimed, {
    to: 'unknown',
    event: 'parked',
    detail: `${why}; what became of the sending before that is still not known`,
  })

/** What an outcome makes of the operation; `submitted` and `failed` may be sent again. */
async function recordOutcome(
  sending: Sending,
  claimed: OutboundOperation,
  outcome: Outcome,
): Promise<OperationState> {
  switch (outcome.kind) {
    case 'confirmed': {
      const { facts, note: detail = '' } = outcome
      const event = detail === '' ? 'confirmed' : 'found'
      return endAttempt(sending, claimed, { to: 'confirmed', event, facts, detail })
    }
    case 'rejected':
      return recordRefusal(sending, claimed, outcome)
    case 'stale':
      return endAttempt(sending, claimed, { to: 'stale', event: 'stale', detail: outcome.why })
    case 'unchanged':
      return endAttempt(sending, claimed, { to: 'unchanged', event: 'unchanged', detail: '' })
    case 'not taken':
      return endAttempt(sending, claimed, { to: 'failed', event: 'not taken', detail: outcome.why })
    case 'unknown':
      return afterUnclear(sending, claimed, { ...outcome, sinceMs: sending.now() })
  }
}

/** A gateway that sends a request twice answers with the refusal of the second. */
async function recordRefusal(
  sending: Sending,
  claimed: OutboundOperation,
  { why, facts, isDoubtful }: Extract<Outcome, { kind: 'rejected' }>,
): Promise<OperationState> {
  if (isDoubtful === true) {
    const found = await sending.write.search()
    if (found.kind === 'found') return confirm(sending, claimed, found.facts)
    if (found.kind === 'unclear')
      return afterUnclear(sending, claimed, { why, sinceMs: sending.now() })
  }
  const end = { to: 'rejected', event: 'rejected', detail: why } as const
  return endAttempt(sending, claimed, facts === undefined ? end : { ...end, facts })
}

/** The write-ahead record. Undefined: somebody else has it. */
async function claim(
  { store, now, run, writesTo }: Sending,
  { plan, op, state, attempt }: OutboundOperation,
  { allowedBy, person }: { allowedBy: string[]; person: Person | undefined },
): Promise<OutboundOperation | undefined> {
  const at = toIso(now())
  const taken = await store.move({
    plan,
    op,
    from: [state],
    attempt,
    to: 'submitted',
    sendsIn: run,
    writesTo,
    at,
    event: attempt === 0 ? 'sent' : 'sent again',
    facts: { allowedBy },
    ...(person === undefined ? {} : { by: person.by }),
    detail: person?.reason ?? '',
  })
  if (!taken) return undefined
  const claimed = await store.operation(plan, op)
  return claimed?.attempt === attempt + 1 ? claimed : undefined
}

/** A process that slept between its record and its request must not wake up and send. */
async function sendFresh({ now, write }: Sending, operation: OutboundOperation): Promise<Outcome> {
  if (now() - Date.parse(operation.changedAt) > CLAIM_LASTS_MS)
    return { kind: 'not taken', why: 'it was not sent in time after it had been recorded' }
  return write.send(operation.attempt)
}

const mayBeSentAgain = ({ state }: OutboundOperation): boolean =>
  state === 'submitted' || state === 'failed'
