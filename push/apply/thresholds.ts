import type { OperationState } from '../../connectors/destination/outbound.ts'

/** The first writes of a plan go one by one. */
export const CANARY_WRITES = 5
/** So many of them that do not verify stop the plan. */
const MOST_BAD_IN_CANARY = 3
/** Later, so many failures stop it. What is stale is no failure: nothing was sent. */
const MOST_FAILURES = 20

const WRITTEN: ReadonlySet<OperationState> = new Set(['confirmed', 'rejected', 'unknown'])
const BAD: ReadonlySet<OperationState> = new Set(['rejected', 'unknown'])

export const isWritten = (state: OperationState): boolean => WRITTEN.has(state)

/** Why a plan must not go on, given what became of its writes, in their order; else undefined. */
export function whyStop(states: readonly OperationState[]): string | undefined {
  const written = states.filter(isWritten)
  const bad = (some: readonly OperationState[]): number =>
    some.filter(state => BAD.has(state)).length
  const early = bad(written.slice(0, CANARY_WRITES))
  if (early >= MOST_BAD_IN_CANARY)
    return `${early} of the first ${CANARY_WRITES} writes did not verify`
  const failures = bad(written)
  return failures >= MOST_FAILURES ? `${failures} writes have failed` : undefined
}
