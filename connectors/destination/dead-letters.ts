import type { Stream } from '../stream.ts'

/** A record that no table could take, kept with the reason and its JSON. */
export interface DeadLetter {
  store: string
  stream: string
  /** Its id, or a hash of its JSON where it has none. */
  key: string
  /** Places and expected kinds, never values (INV-10). */
  reason: string
  raw: string
  /** The window that brought this state of it first; ISO texts in UTC. */
  window: { start: string; end: string }
  firstSeenAt: string
}

/** Dead letters of one stream of one store, by their keys. */
export interface LettersChosen {
  store: string
  stream: string
  keys: readonly string[]
}

export interface LettersToReplay extends LettersChosen {
  /** ISO, UTC. */
  readAt: string
}

export interface LettersToDiscard extends LettersChosen {
  /** ISO, UTC. */
  at: string
  by: string
  reason: string
}

/** What became of replayed dead letters, by their keys. */
export interface Replayed {
  resolved: string[]
  refused: string[]
}

/** Dead letters are written by `WindowWriter.commit`; this is what people do with them. */
export interface DeadLetters {
  /** Ordered by store, stream and key. */
  of(stores: readonly string[], streams: readonly string[]): Promise<DeadLetter[]>

  /**
   * How many of a stream stand, neither replayed nor discarded, in windows that touch these store
   * days (`to` exclusive); without days, all of them. A list without dates has no days.
   */
  count(
    store: string,
    stream: Pick<Stream, 'name' | 'windowing'>,
    days: { from?: string | undefined; to?: string | undefined },
  ): Promise<number>

  /** How many stand of each stream of a store that has any. */
  counts(store: string): Promise<ReadonlyMap<string, number>>

  /**
   * Merges the kept records again, as a reading of their own, in one transaction; what is refused
   * again stays, with its reason of today. Safe to call again: keys that are no longer there are
   * passed over.
   */
  replay(letters: LettersToReplay): Promise<Replayed>

  /**
   * Gives them up, and records who did so, when and why; the same state of such a record is not
   * kept again. Answers how many. Safe to call again.
   */
  discard(letters: LettersToDiscard): Promise<number>
}
