import type { Destination } from './destination.ts'
import type { GivenOut } from './given-out.ts'
import type { Freshness } from './hints.ts'
import type { OutboundStore } from './outbound.ts'
import type { PlacedDatabase } from './place.ts'

/** The database of a configuration, for commands that only read: what writes fails. */
export interface ReadOnlyDatabase extends Omit<
  Destination,
  'database' | 'localFiles' | 'windows' | 'keyShares' | 'totals' | 'hints' | 'close'
> {
  /** What was given out of the books, to read. */
  givenOut: GivenOut
  /** What is remembered of writes to the API, to read. */
  outbound: OutboundStore
  /**
   * The zone that the store's days are cut in: as of which it was read, else as configured. Fails
   * with NOT_PROVEN where neither says one, and with STORE_ZONE where the two differ: no day may be
   * given out then.
   */
  timeZone(store: string): Promise<string>
  /** The same to show what is there: never fails, UTC where nobody says one. */
  zoneOfRows(store: string): Promise<string>
  /** How far each store is behind the API's events. */
  freshness(): Promise<Freshness[]>
  /** What waits beside the database to be taken into it, for as long as somebody reads. */
  logBytes(): Promise<number>
  /** Another number once anything was written since this was opened, by whomever. */
  changeNumber(): Promise<number>
  close(): Promise<void>
}

export interface ReadOptions {
  /**
   * A file that somebody holds alone is waited for on the thread itself: whoever serves others on
   * it is refused at once instead.
   */
  isPatient?: boolean
}

/** Where the database is, and what the configuration says of the stores' zones. */
export interface DatabasePlace extends PlacedDatabase {
  stores: readonly { id: string; timeZone?: string | undefined }[]
}
