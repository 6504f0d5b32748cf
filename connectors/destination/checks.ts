/** What one comparison of a sample with the API said of one stream. */
export interface KeptCheck {
  store: string
  stream: string
  /** ISO, UTC. */
  checkedAt: string
  /** Draws the same sample again from the same rows. */
  seed: number
  drawnBy: 'window' | 'id'
  /** Windows, or records. */
  drawn: number
  /** Rows. */
  compared: number
  mismatched: number
  changed: number
  healed: number
  /** Not exceeded, with 95 % confidence, by the rate of what is wrong. */
  rateBound: number
  /** Of what that is the rate. */
  boundOf: 'rows' | 'windows'
}

export interface Checks {
  /**
   * Adds them, all or none. Called again after a crash it may add them twice; each carries its
   * time.
   */
  add(checks: readonly KeptCheck[]): Promise<void>
}
