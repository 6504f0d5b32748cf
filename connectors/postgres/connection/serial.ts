/**
 * Taken first in a transaction that is to happen after every other one of its kind: what is decided
 * by rows that are not there yet has nothing else to wait for. It ends with the transaction.
 */
export const IN_TURN = `SELECT pg_advisory_xact_lock(hashtextextended('tillage ' || current_schema(), 0))`
