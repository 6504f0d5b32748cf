import { MINUTE_MS, toIso } from '../calendar/days.ts'
import type {
  Facts,
  OperationState,
  OutboundEvent,
  OutboundOperation,
  Transition,
} from '../connectors/destination/outbound.ts'
import type { LookUpOutcome } from './outcome.ts'
import type { Outbound, Sending, SendRules } from './sending.ts'

/**
 * Searches until it is found or patience is over. Answers `submitted` where it may be sent again.
 */
export async function afterUnclear(
  sending: Sending,
  operation: OutboundOperation,
  { why, sinceMs, patienceMs }: { why: string; sinceMs: number; patienceMs?: number | undefined },
): Promise<OperationState> {
  const { store, rules } = sending
  await store.note(eventOf(sending, operation, 'unclear', why))
  const found = await searchPatiently(sending, sinceMs, patienceMs)
  if (found.kind === 'found') return confirm(sending, operation, found.facts)
  if (found.kind === 'absent' && (found.wasNeverSent || rules.whenAbsent === 'send again'))
    return 'submitted'
  if (found.kind === 'otherwise') {
    const { why: detail, facts } = found
    return endAttempt(sending, operation, { to: 'rejected', event: 'rejected', detail, facts })
  }
  const said = saidOf(found)
  const detail = said === why ? why : `${why}; searched: ${said}`
  return endAttempt(sending, operation, { to: 'unknown', event: 'parked', detail })
}

/** What searching again and again takes. */
export type Searching<Found extends LookUpOutcome> = Pick<Sending, 'now' | 'sleep' | 'rules'> & {
  write: { search(): Promise<Found> }
}

/** A pause that the API asks for is waited for beside the patience, where it is no longer. */
const LONGEST_ASKED_MS = 3 * MINUTE_MS

/**
 * The first search that finds it or shows that it cannot come, else the last one. The answer of the
 * write may have begun a pause that the API asked for, in which nothing can be searched: that one,
 * and no further one, takes nothing of the patience.
 */
export async function searchPatiently<Found extends LookUpOutcome>(
  { now, sleep, write, rules }: Searching<Found>,
  sinceMs: number,
  patienceMs = rules.patienceMs,
): Promise<Found> {
  // A clock that was set back must not make it wait for hours.
  let untilMs = Math.min(sinceMs, now()) + patienceMs
  let wasPaused = false
  for (let searches = 0; ; searches++) {
    // Taken before the search: one that began earlier says nothing of what came meanwhile.
    const isLast = now() >= untilMs
    const found = await write.search()
    const askedMs = found.kind === 'unclear' ? (found.retryAfterMs ?? 0) : 0
    if (askedMs > 0 && askedMs <= LONGEST_ASKED_MS && !wasPaused) {
      wasPaused = true
      untilMs += askedMs
      await sleep(askedMs)
      continue
    }
    if (isLast || isFinal(found)) return found
    await sleep(Math.min(pauseOf(rules, searches), Math.max(1, untilMs - now())))
  }
}

function isFinal(found: LookUpOutcome): boolean {
  if (found.kind === 'absent') return found.wasNeverSent === true
  return found.kind === 'found' || (found.kind === 'otherwise' && !found.mayStillCome)
}

const saidOf = (found: Exclude<LookUpOutcome, { kind: 'found' }>): string =>
  found.why ?? 'it is not in the API'

/** One search. `isAbsent`: the API was asked for certain, and does not have it. */
export async function searchOnce(
  sending: Sending,
  operation: OutboundOperation,
): Promise<{ state: OperationState; isAbsent: boolean }> {
  const found = await sending.write.search()
  if (found.kind === 'found')
    return { state: await confirm(sending, operation, found.facts), isAbsent: false }
  await sending.store.note(eventOf(sending, operation, 'searched', saidOf(found)))
  return { state: operation.state, isAbsent: found.kind === 'absent' }
}

export const confirm = (
  sending: Sending,
  operation: OutboundOperation,
  facts: Facts,
  detail = '',
): Promise<OperationState> =>
  endAttempt(sending, operation, { to: 'confirmed', event: 'found', facts, detail })

/** Ends an attempt; where somebody else has ended it meanwhile, theirs stands. */
export async function endAttempt(
  { store, now }: Outbound,
  { plan, op, attempt }: OutboundOperation,
  end: Pick<Transition, 'to' | 'event' | 'detail' | 'facts'>,
): Promise<OperationState> {
  const from = ['planned', 'submitted', 'unknown', 'failed'] as const
  const done = await store.move({ plan, op, from, attempt, at: toIso(now()), ...end })
  return done ? end.to : (await standsNow({ store }, { plan, op })).state
}

export async function standsNow(
  { store }: Pick<Outbound, 'store'>,
  { plan, op }: Pick<OutboundOperation, 'plan' | 'op'>,
): Promise<OutboundOperation> {
  return (await store.operation(plan, op))!
}

export const pauseOf = ({ firstPauseMs, longestPauseMs }: SendRules, turn: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(turn, 20))

const eventOf = (
  { now }: Outbound,
  { plan, op }: OutboundOperation,
  event: string,
  detail: string,
): OutboundEvent => ({
  plan,
  op,
  at: toIso(now()),
  event,
  by: null,
  detail,
})
