/** A server that holds a database, as it is seen from this machine. */
export interface ServerFacts {
  /** Product and version, as people call it. */
  version: string
  /** By how much this machine's clock is ahead of the server's; below 0: behind. */
  clockAheadMs: number
  /** Extensions in the database, but for those that every database has. */
  extensions: readonly string[]
}
