export type RunKind = 'nightly' | 'sweep' | 'check' | 'push' | 'audit' | 'upkeep' | 'backup'

/** Which run: one row for each kind, store and day. */
export interface RunKey {
  kind: RunKind
  store: string
  /** The business day of a night, the calendar day of anything else; `yyyy-MM-dd`. */
  day: string
}

/** What came of what was due. Times are ISO texts in UTC. */
export interface KnownRun extends RunKey {
  dueAt: string
  deadlineAt: string | undefined
  startedAt: string
  finishedAt: string | undefined
  outcome: 'running' | 'done' | 'failed'
  attempts: number
  /** A sentence without records. */
  detail: string
}

/** Enough to tell without a server what did not happen (INV-11). */
export interface Runs {
  /**
   * The run is under way from `startedAt` on, one attempt more than before. A day that is done
   * stays so. Called again after a crash it counts another attempt.
   */
  begin(run: RunKey & Pick<KnownRun, 'dueAt' | 'deadlineAt' | 'startedAt'>): Promise<void>

  /**
   * How the run stands at a time; without an outcome it is still under way. A day that is done
   * stays so. Safe to call again. A run of which nothing is known, since a standby that took over
   * lacks its beginning, began then.
   */
  note(
    run: RunKey,
    change: Pick<KnownRun, 'detail'> & Partial<Pick<KnownRun, 'outcome'>> & { at: string },
  ): Promise<void>

  /** The newest days first. */
  newest(kind: RunKind, store: string, limit: number): Promise<KnownRun[]>

  /** So many of each kind and store, asked at once; the newest days first. */
  newestOfEach(limit: number): Promise<KnownRun[]>
}
