/** The newest try to read a store, whoever made it: a night, or a person's own sync. */
export interface Attempt {
  store: string
  /** ISO, UTC. */
  at: string
  /** `answered`: its API did, and lists could be read; which of them were, the ledger says. */
  outcome: 'answered' | 'failed'
  /** Of what failed: an error code, and its message without keys and records. */
  code: string | undefined
  detail: string | undefined
}

/** The same as it is remembered. */
export interface KnownAttempt extends Attempt {
  /** Of what failed: since when none has been answered; ISO, UTC. */
  failingSince: string | undefined
}

/** A comparison of what was pushed with what is there. */
export interface DriftCheck {
  store: string
  /** ISO, UTC. */
  at: string
  /** How many records were compared, and how many somebody else had changed. */
  records: number
  drifted: number
}

/** What was tried last of each store. Every method that writes replaces what was known. */
export interface Attempts {
  keep(attempt: Attempt): Promise<void>
  last(store: string): Promise<KnownAttempt | undefined>
  keepDrift(check: DriftCheck): Promise<void>
  lastDrift(store: string): Promise<DriftCheck | undefined>
}
