import { DAY_MS } from '../../calendar/days.ts'

/** The name of the fact among `behaviours`; its value is a number of requests a second. */
export const PACE = 'requests a second'

/** A limit may have fallen since, or others may use the same key now. */
const SHARE_OF_TODAY = 0.95
const SHARE_OF_OLDER = 0.8

/** The fact as it is kept. */
export const paceFact = (perSecond: number) => ({
  stream: '',
  name: PACE,
  value: perSecond.toFixed(2),
  evidence:
    'at this pace requests were answered; a faster one was refused with 429 or 503, ' +
    'in this run or an earlier one',
})

/** What an earlier run has kept. */
export const keptPace = <Fact extends { stream: string; name: string; value: string }>(
  facts: readonly Fact[],
): Fact | undefined =>
  facts.find(({ stream, name, value }) => stream === '' && name === PACE && Number(value) > 0)

/**
 * What a run begins with: a little less than what was kept, and less after a day. It rises from
 * there as it does after a refusal.
 */
export function knownPace(
  facts: readonly { stream: string; name: string; value: string; seenAt: string }[],
  nowMs: number,
): number | undefined {
  const kept = keptPace(facts)
  if (kept === undefined) return undefined
  const isOfToday = nowMs - Date.parse(kept.seenAt) < DAY_MS
  return Number(kept.value) * (isOfToday ? SHARE_OF_TODAY : SHARE_OF_OLDER)
}
