/** What is kept afterwards, as JSON has it, and what whoever asked wants to know. */
export type ChangeOfKept<Answer> = (
  kept: object | undefined,
  nowMs: number,
) => { kept: object; answer: Answer }

/** What is known of the limits of one key, by all processes that send with it. */
export interface KeyShare {
  /**
   * Changes what is kept, atomically and one after the other, whichever process does it. `change`
   * gets what the one before it has kept (undefined: nothing yet) and the time by the clock that
   * all of them share, in milliseconds. It is a pure function: it may be called again.
   */
  change<Answer>(change: ChangeOfKept<Answer>): Promise<Answer>
}

/**
 * Limits are of a key, not of a process: what `limits` of a store says, and what an API has shown,
 * holds for all processes that send with its key over one database together.
 */
export interface KeyShares {
  /** `key` names address and developer key without telling them. */
  of(key: string): KeyShare
  close(): void
}
