/**
 * Taken first in a transaction that is to happen after every other one of its kind: what is decided
 * by rows that are not there yet has nothing else to wait for. It ends with the transaction.
 */
export const IN_TURN = turnOf('tillage ')

/** Among hints of events alone, which wait for nothing that takes long. */
export const HINTS_IN_TURN = turnOf('tillage hints ')

function turnOf(kind: string): string {
  return `SELECT pg_advisory_xact_lock(hashtextextended('${kind}' || current_schema(), 0))`
}
