/** A notice that somebody was called for; `Thing` is what it holds, kept as JSON. */
export interface KeptNotice<Thing = unknown> {
  id: string
  /** Of the first thing that it holds. */
  key: string
  /** How often it was told: its opening is 1. */
  number: number
  kind: string
  severity: 'warning' | 'critical'
  things: readonly Thing[]
  /** ISO, UTC. */
  openedAt: string
  toldAt: string
  closedAt: string | undefined
}

/** What is sent to one channel, at least once. */
export interface Delivery {
  /** `NOTICE/NUMBER/CHANNEL`: the same however often it is sent. */
  id: string
  channel: string
  /** Of the notice: `opened`, `worse`, `again`, `closed`; of a heartbeat `beat`. */
  state: string
  /** JSON. */
  document: string
  /** When it was to be sent first; ISO, UTC. */
  at: string
}

export interface KnownDelivery extends Delivery {
  outcome: 'waiting' | 'taken' | 'given up'
  attempts: number
  triedAt: string | undefined
  /** What the last attempt came to, in words of ours. */
  detail: string | undefined
}

/** Who was called for what, kept so that nobody is called twice for the same, or not at all. */
export interface Notices {
  open(): Promise<KeptNotice[]>
  /** How many notices began with a thing, by its key; those that are open too. */
  openings(): Promise<Map<string, number>>
  /**
   * Keeps what was decided and what is to be sent of it, in one transaction. Safe to call again: an
   * older state replaces no newer one, and no delivery is there twice.
   */
  record(notices: readonly KeptNotice[], deliveries: readonly Delivery[]): Promise<void>
  /** What nobody has taken yet and is still tried, oldest first. */
  waiting(): Promise<KnownDelivery[]>
  delivery(id: string): Promise<KnownDelivery | undefined>
  /** What its channel was to be told of the same notice before it, and has not taken yet. */
  waitingBefore(one: Pick<Delivery, 'id' | 'channel' | 'at'>): Promise<KnownDelivery[]>
  /** The newest first. */
  deliveries(limit: number): Promise<KnownDelivery[]>
  noteAttempt(
    id: string,
    attempt: { at: string; outcome: KnownDelivery['outcome']; detail: string },
  ): Promise<void>
  /** Channels that have taken nothing since something was tried there in vain. */
  failing(): Promise<{ channel: string; since: string; detail: string }[]>
}
