import type { Destination } from './destination.ts'
import type { GivenOut } from './given-out.ts'

/** The database of a configuration, for commands that only read: what writes fails. */
export interface ReadOnlyDatabase extends Omit<Destination, 'location' | 'windows' | 'close'> {
  /** What was given out of the books, to read. */
  givenOut: GivenOut
  /**
   * The store's zone: as configured, else as the store said when it was last read. Fails with
   * NOT_PROVEN where neither says one.
   */
  timeZone(store: string): Promise<string>
  close(): Promise<void>
}

/** Where the database is, and what the configuration says of the stores' zones. */
export interface DatabasePlace {
  database: string
  stores: readonly { id: string; timeZone?: string | undefined }[]
}
