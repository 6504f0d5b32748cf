import type { OffsetParameter } from '../stream.ts'

/** What a store's API does where its documentation is silent. */
export interface KnownFact {
  /** Empty: of the store as a whole. */
  stream: string
  name: string
  value: string
  /** What was asked and what came, without values of records. */
  evidence: string
  /** ISO, UTC. */
  seenAt: string
}

/** What was learned of each store's API; one value for each store, stream and name. */
export interface Behaviours {
  of(store: string): Promise<KnownFact[]>

  /**
   * Replaces what was known, all of these or none. A fact whose value is `unknown` keeps its
   * earlier value. Safe to call again.
   */
  keep(store: string, facts: readonly KnownFact[]): Promise<void>
}

/** The name of the offset parameter where only one of the two documented ones counts, by stream. */
export const offsetParameters = (facts: readonly KnownFact[]): Record<string, OffsetParameter> =>
  Object.fromEntries(
    facts.flatMap(({ stream, name, value }) =>
      name === 'offset parameter' && (value === 'start' || value === 'skip')
        ? [[stream, value] as const]
        : [],
    ),
  )
