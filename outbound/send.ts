import type {
  Facts,
  OperationState,
  OutboundEvent,
  OutboundOperation,
  OutboundStore,
  Transition,
} from '../connectors/destination/outbound.ts'
import type { LookUpOutcome, Outcome } from './outcome.ts'

/** Time and the journal: all that the mechanism needs besides the write itself. */
export interface Outbound {
  store: OutboundStore
  now(): number
  sleep(ms: number): Promise<void>
}

/** One write to the API, and how it can be found there. */
export interface Write {
  /**
   * Sends it, once, as the attempt that was recorded. Throws nothing of the API: what it says is an
   * outcome.
   */
  send(attempt: number): Promise<Outcome>
  /** Looks for it in the API. Does not count as a look unless what it says is true by then. */
  search(): Promise<LookUpOutcome>
}

export interface SendRules {
  /** For so long after an unclear outcome the API is searched. */
  patienceMs: number
  /** Between two searches: this long at first, then twice as long, up to `longestPauseMs`. */
  firstPauseMs: number
  longestPauseMs: number
  /**
   * What is done where patience is over and the API, asked for certain, does not have it. Where
   * writing twice is harm that cannot be undone: park.
   */
  whenAbsent: 'park' | 'send again'
  /** Sendings of one operation in one run, refusals for lack of pace included. */
  mostSends: number
}

export const SEND_RULES: SendRules = {
  patienceMs: 120_000,
  firstPauseMs: 500,
  longestPauseMs: 10_000,
  whenAbsent: 'park',
  mostSends: 20,
}

/** One operation's way into the API. */
export interface Sending extends Outbound {
  write: Write
  rules: SendRules
  /** Whether nothing more can be sent in this run; what was not taken waits for the next one. */
  isOver?(): boolean
}

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
  if (operation.state === 'unknown') return (await look(sending, operation)).state
  if (operation.state === 'submitted') {
    const state = await afterUnclear(sending, operation, {
      why: 'the run that sent it came to no answer',
      sinceMs: Date.parse(operation.changedAt),
    })
    return state === 'submitted' ? send(sending, operation) : state
  }
  if (operation.state !== 'planned' && operation.state !== 'failed') return operation.state
  return send(sending, operation)
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
  const { state, isAbsent } = await look(sending, operation)
  return isAbsent ? send(sending, operation, person) : state
}

async function send(
  sending: Sending,
  operation: OutboundOperation,
  person?: Person,
): Promise<OperationState> {
  const { mostSends } = sending.rules
  let current = operation
  for (let turn = 1; turn <= mostSends; turn++) {
    const by = turn === 1 ? person : undefined
    const { stands, retryAfterMs, isTaken } = await takeTurn(sending, current, by)
    current = stands
    if (isTaken === true || !mayBeSentAgain(current) || sending.isOver?.() === true) break
    if (current.state === 'failed' && turn < mostSends)
      await sending.sleep(retryAfterMs ?? pauseOf(sending.rules, turn))
  }
  return current.state
}

interface Turn {
  stands: OutboundOperation
  retryAfterMs?: number | undefined
  /** Another run has it, and brings it to its end. */
  isTaken?: true
}

/** One sending at most, and what it made of the operation. */
async function takeTurn(
  sending: Sending,
  operation: OutboundOperation,
  person: Person | undefined,
): Promise<Turn> {
  if (operation.state === 'failed') {
    // A gateway may have said no to a request that went through all the same.
    const { state, isAbsent } = await look(sending, operation)
    if (!isAbsent) return { stands: { ...operation, state } }
  }
  const claimed = await claim(sending, operation, person)
  if (claimed === undefined) return { stands: await standsNow(sending, operation), isTaken: true }
  const outcome = await sendFresh(sending, claimed)
  return {
    stands: { ...claimed, state: await take(sending, claimed, outcome) },
    retryAfterMs: outcome.kind === 'not taken' ? outcome.retryAfterMs : undefined,
  }
}

/** What an outcome makes of the operation; `submitted` and `failed` may be sent again. */
async function take(
  sending: Sending,
  claimed: OutboundOperation,
  outcome: Outcome,
): Promise<OperationState> {
  switch (outcome.kind) {
    case 'confirmed': {
      const { facts } = outcome
      return endAttempt(sending, claimed, {
        to: 'confirmed',
        event: 'confirmed',
        facts,
        detail: '',
      })
    }
    case 'rejected':
      return takeRefusal(sending, claimed, outcome)
    case 'stale':
      return endAttempt(sending, claimed, { to: 'stale', event: 'stale', detail: outcome.why })
    case 'unchanged':
      return endAttempt(sending, claimed, { to: 'unchanged', event: 'unchanged', detail: '' })
    case 'not taken':
      return endAttempt(sending, claimed, { to: 'failed', event: 'not taken', detail: outcome.why })
    case 'unknown':
      return afterUnclear(sending, claimed, { why: outcome.why, sinceMs: sending.now() })
  }
}

/** A gateway that sends a request twice answers with the refusal of the second. */
async function takeRefusal(
  sending: Sending,
  claimed: OutboundOperation,
  { why, facts, look: isDoubtful }: Extract<Outcome, { kind: 'rejected' }>,
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
  { store, now }: Outbound,
  { plan, op, state, attempt }: OutboundOperation,
  person: Person | undefined,
): Promise<OutboundOperation | undefined> {
  const at = iso(now())
  const taken = await store.move({
    plan,
    op,
    from: [state],
    attempt,
    to: 'submitted',
    sends: true,
    at,
    event: attempt === 0 ? 'sent' : 'sent again',
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

/**
 * Searches until it is found or patience is over. Answers `submitted` where it may be sent again.
 */
async function afterUnclear(
  sending: Sending,
  operation: OutboundOperation,
  { why, sinceMs }: { why: string; sinceMs: number },
): Promise<OperationState> {
  const { store, now, sleep, write, rules } = sending
  await store.note(eventOf(sending, operation, 'unclear', why))
  // A clock that was set back must not make it wait for hours.
  const untilMs = Math.min(sinceMs, now()) + rules.patienceMs
  for (let looks = 0; ; looks++) {
    // Taken before the search: one that began earlier says nothing of what came meanwhile.
    const isLast = now() >= untilMs
    const found = await write.search()
    if (found.kind === 'found') return confirm(sending, operation, found.facts)
    if (found.kind === 'absent' && found.wasNeverSent === true) return 'submitted'
    if (isLast) {
      if (found.kind === 'absent' && rules.whenAbsent === 'send again') return 'submitted'
      const detail = `${why}; searched: ${found.kind === 'absent' ? ABSENT : found.why}`
      return endAttempt(sending, operation, { to: 'unknown', event: 'parked', detail })
    }
    await sleep(Math.min(pauseOf(rules, looks), Math.max(1, untilMs - now())))
  }
}

const ABSENT = 'it is not in the API'

/** One search. `isAbsent`: the API was asked for certain, and does not have it. */
async function look(
  sending: Sending,
  operation: OutboundOperation,
): Promise<{ state: OperationState; isAbsent: boolean }> {
  const found = await sending.write.search()
  if (found.kind === 'found')
    return { state: await confirm(sending, operation, found.facts), isAbsent: false }
  const isAbsent = found.kind === 'absent'
  const detail = isAbsent ? ABSENT : found.why
  await sending.store.note(eventOf(sending, operation, 'searched', detail))
  return { state: operation.state, isAbsent }
}

const confirm = (
  sending: Sending,
  operation: OutboundOperation,
  facts: Facts,
): Promise<OperationState> =>
  endAttempt(sending, operation, { to: 'confirmed', event: 'found', facts, detail: '' })

/** Ends an attempt; where somebody else has ended it meanwhile, theirs stands. */
async function endAttempt(
  { store, now }: Outbound,
  { plan, op, attempt }: OutboundOperation,
  end: Pick<Transition, 'to' | 'event' | 'detail' | 'facts'>,
): Promise<OperationState> {
  const from = ['submitted', 'unknown', 'failed'] as const
  const done = await store.move({ plan, op, from, attempt, at: iso(now()), ...end })
  return done ? end.to : (await standsNow({ store }, { plan, op })).state
}

async function standsNow(
  { store }: Pick<Outbound, 'store'>,
  { plan, op }: Pick<OutboundOperation, 'plan' | 'op'>,
): Promise<OutboundOperation> {
  return (await store.operation(plan, op))!
}

const mayBeSentAgain = ({ state }: OutboundOperation): boolean =>
  state === 'submitted' || state === 'failed'

const pauseOf = ({ firstPauseMs, longestPauseMs }: SendRules, turn: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(turn, 20))

const eventOf = (
  { now }: Outbound,
  { plan, op }: OutboundOperation,
  event: string,
  detail: string,
): OutboundEvent => ({
  plan,
  op,
  at: iso(now()),
  event,
  by: null,
  detail,
})

const iso = (ms: number): string => new Date(ms).toISOString()
