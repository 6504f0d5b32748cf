/** How long what may be read again, or was given up, is kept; days, undefined: for ever. */
export interface Retention {
  versionsDays?: number | undefined
  discardedLettersDays?: number | undefined
  readingsDays?: number | undefined
}

export interface PurgeOrder {
  retention: Retention
  /** Undefined: everything in the database, also of stores that are no longer configured. */
  store: string | undefined
  /** Ages are counted back from here; ISO, UTC. */
  at: string
}

export interface Purged {
  table: string
  /** What is older than this goes; ISO, UTC. */
  before: string
  rows: number
}

/** What keeps a database from growing for ever. */
export interface Upkeep {
  /**
   * Removes what is older than its retention, all tables or none, with an entry in the audit log
   * where anything was removed. Safe to call again: what is gone is not counted twice.
   */
  purge(order: PurgeOrder): Promise<Purged[]>
}
