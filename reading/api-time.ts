import { describeDuration, MINUTE_MS } from '../calendar/days.ts'
import type { KnownFact } from '../connectors/destination/behaviours.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import type { PartnerClient } from '../connectors/partner/client.ts'

/** The fact among `behaviours` that holds how far this machine's clock was ahead of the API's. */
export const CLOCK_SKEW = 'clock skew in milliseconds'

/** A difference of more than this is a finding (`clock_skew`). */
export const NOTABLE_SKEW_MS = 2 * MINUTE_MS

/** What is asked for a store's time. */
export interface ClockSources {
  destination: Pick<Destination, 'behaviours'>
  store(id: string): { client: Pick<PartnerClient, 'clock'> }
}

/**
 * Milliseconds by which this machine's clock is ahead of the API's: what the last answer said, else
 * what an earlier run kept; 0 where nobody knows.
 */
export async function clockSkewMs(
  { destination, store }: ClockSources,
  id: string,
): Promise<number> {
  const measured = store(id).client.clock.skewMs()
  return measured ?? (await keptSkewMs(destination.behaviours, id)) ?? 0
}

/** What an earlier run or `doctor` kept; undefined: nobody has measured it. */
export async function keptSkewMs(
  behaviours: Destination['behaviours'],
  store: string,
): Promise<number | undefined> {
  const facts = await behaviours.of(store)
  const kept = facts.find(({ stream, name }) => stream === '' && name === CLOCK_SKEW)
  return kept === undefined ? undefined : Number(kept.value)
}

/**
 * The latest instant that is past for this machine and for the API: no window may be proven beyond
 * it (INV-1). A clock that is ahead would prove hours that have not happened yet.
 */
export async function pastUntilMs(
  sources: ClockSources & { now(): number },
  id: string,
): Promise<number> {
  return sources.now() - Math.max(0, await clockSkewMs(sources, id))
}

/** The fact as it is kept; undefined where no answer has said what time it is. */
export function skewFact(skewMs: number | undefined): Omit<KnownFact, 'seenAt'> | undefined {
  if (skewMs === undefined) return undefined
  return {
    stream: '',
    name: CLOCK_SKEW,
    value: String(skewMs),
    evidence: `by the Date header of GET /store, this machine's clock is ${describeSkew(skewMs)}`,
  }
}

/** `20 days ahead of the API's`, for people. */
export function describeSkew(skewMs: number): string {
  if (Math.abs(skewMs) < MINUTE_MS / 2) return 'that of the API'
  return `${describeDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the API's`
}
