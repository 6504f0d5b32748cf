/** Where a database is, and where this machine keeps what belongs to it. */
export interface PlacedDatabase {
  /** A path, or an address with who signs in. */
  database: string
  /** What this machine keeps for it begins like this. */
  localFiles: string
}
