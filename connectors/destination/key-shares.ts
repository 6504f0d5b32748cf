/** What one process takes of the pace of a key. */
export interface SlotOrder {
  /** So many slots, one after the other. */
  slots: number
  /** From one slot to the next; 0 where there is no ceiling. */
  slotMs: number
  /** Epoch milliseconds. */
  nowMs: number
}

export interface TakenSlots {
  /** Of the first slot, epoch milliseconds; later than `nowMs` where others are in front. */
  startMs: number
  /** Processes that have taken slots within the last seconds, this one included. */
  sharers: number
}

/** The pace of one key, which every process takes its slots of. */
export interface KeyShare {
  /**
   * Takes the next slots, atomically: no two processes ever get the same one, and one that dies
   * loses at most what it has taken. Never fails: where nothing can be agreed upon, the process
   * goes by its own clock alone.
   */
  take(order: SlotOrder): TakenSlots
}

/**
 * Limits are of a key, not of a process: what `limits` of a store says holds for all processes that
 * send with its key over one database together.
 */
export interface KeyShares {
  /** `key` names address and developer key without telling them. */
  of(key: string): KeyShare
  close(): void
}
