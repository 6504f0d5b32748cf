/** That something may have changed at the API. It can cause a read, and nothing else (INV-12). */
export interface NewHint {
  store: string
  stream: string
  /** Of the record that it names; absent: what changed lately. */
  id?: string | undefined
}

/** Hints of the same thing are one. */
export interface Hint extends NewHint {
  /** Epoch milliseconds: when the oldest came that nobody has read for, and the newest. */
  firstMs: number
  lastMs: number
}

/** How far a stream is behind what its hints say. */
export interface Freshness {
  store: string
  stream: string
  lastHintMs: number
  /** When a read that a hint caused ended; undefined: none has yet. */
  lastReadMs: number | undefined
  /** Of the oldest hint that waits; undefined: none waits. */
  waitingSinceMs: number | undefined
}

/** Hints that wait for their read. They survive every crash, and are in no backup: nights prove. */
export interface Hints {
  /** On the disk when this resolves; all of them or none. */
  keep(hints: readonly NewHint[], nowMs: number): Promise<void>
  /** Stores with hints that wait. */
  waitingStores(): Promise<string[]>
  /**
   * Oldest first. Those without an id are left out where such a read of the stream was done after
   * `rangesSinceMs`.
   */
  waiting(store: string, order: { most: number; rangesSinceMs: number }): Promise<Hint[]>
  /** Of one stream, from so many on, hints are one without an id: what changed lately is read. */
  foldMany(store: string, most: number): Promise<void>
  /** Their reads are done; a hint that came again meanwhile waits on. */
  done(hints: readonly Hint[], nowMs: number): Promise<void>
  /** They will not be read for: the night proves what they were about. */
  forget(hints: readonly Hint[]): Promise<void>
  freshness(): Promise<Freshness[]>
  close(): Promise<void>
}
