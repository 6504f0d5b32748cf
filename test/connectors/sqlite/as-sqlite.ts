import type { Destination } from '../../../connectors/destination/destination.ts'
import type { SqliteDestination } from '../../../connectors/sqlite/destination.ts'

/** The destination of a running program, of which a test looks into the tables. */
export const asSqlite = (destination: Destination): SqliteDestination =>
  destination as SqliteDestination
