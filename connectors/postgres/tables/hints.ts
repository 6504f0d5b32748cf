import type { Hints } from '../../destination/hints.ts'
import { hintsOn } from '../../sql/hints.ts'
import { openConnections } from '../connection/connections.ts'
import { HINTS_IN_TURN } from '../connection/in-turn.ts'
import { sqlOn } from '../connection/sql-connection.ts'

/**
 * For the machine that is told of an event, and the one that reads for it. On connections of its
 * own, and after other hints alone: an event is answered within milliseconds, also while a window
 * is committed.
 */
export const openHints = (address: string): Hints =>
  hintsOn(sqlOn(openConnections(address, { most: 2 }), HINTS_IN_TURN))
