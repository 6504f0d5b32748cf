import type { Attempts } from './attempts.ts'
import type { Behaviours } from './behaviours.ts'
import type { BookedDays } from './booked-days.ts'
import type { Checks } from './checks.ts'
import type { DeadLetters } from './dead-letters.ts'
import type { Findings } from './findings.ts'
import type { Hints } from './hints.ts'
import type { KeyShares } from './key-shares.ts'
import type { Ledger } from './ledger.ts'
import type { LookUps } from './look-ups.ts'
import type { Notices } from './notices.ts'
import type { PlacedDatabase } from './place.ts'
import type { Programs } from './programs.ts'
import type { Rows, Versions } from './rows.ts'
import type { Runs } from './runs.ts'
import type { Schedules } from './schedules.ts'
import type { HookAddresses, Stores } from './stores.ts'
import type { Totals } from './totals.ts'
import type { Upkeep } from './upkeep.ts'
import type { WindowWriter } from './windows.ts'

/**
 * The database that holds the rows: everything that reading, activities and commands ask of it.
 * Another destination implements these interfaces, each in a file of its own beside it, as
 * `connectors/sqlite/` does. What does not read the API asks for more, by interfaces beside this
 * one: `ReadOnlyDatabase` (commands), `GivenOut` and `ComputedBooks` (exports), `OutboundStore` and
 * `PushMemory` (writes to the API). Upkeep by hand has none: `connectors/database.ts` lists it.
 *
 * Every method that writes is one transaction: killed anywhere, it has happened or it has not. What
 * a method promises when it is called again after a crash stands at the method. Errors are
 * `DatabaseError`s with a code: DATABASE_FULL and DATABASE_BUSY may pass by themselves.
 */
export interface Destination extends PlacedDatabase {
  identity: Identity
  windows: WindowWriter
  rows: Rows
  ledger: Ledger
  findings: Findings
  behaviours: Behaviours
  stores: Stores
  runs: Runs
  attempts: Attempts
  notices: Notices
  programs: Programs
  schedules: Schedules
  checks: Checks
  deadLetters: DeadLetters
  versions: Versions
  bookedDays: BookedDays
  lookUps: LookUps
  keyShares: KeyShares
  totals: Totals
  hints: Hints
  hookAddresses: HookAddresses
  upkeep: Upkeep
  /** Waits for what is being written. */
  close(): Promise<void>
}

/** Which database this is, wherever it lies and whatever is configured. */
export interface Identity {
  /** Made once, at random; a backup that is restored gets another, for it lives a second life. */
  id(): Promise<string>
}
