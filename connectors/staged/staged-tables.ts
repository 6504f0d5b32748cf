/**
 * Names of the tables in which the records of a window wait for the statements that merge them: in
 * a database of their own on SQLite, temporary ones on PostgreSQL, where they stand in the search
 * path before all others.
 */

/** Copies that another one of the same reading supersedes: `id`, `modified`, `raw`. */
export const SUPERSEDED_ROWS = 'staged_superseded'
/** Records that do not fit, numbered by `rowid`: `record_key`, `reason`, `raw`. */
export const UNFIT_ROWS = 'staged_unfit'
/** The records are table 0, numbered by `rowid`; the stream's lists of lines follow. */
export const stagedTable = (table: number): string => `staged_${table}`
/**
 * Columns as they are declared; behind them a record has its JSON, and a line the number of its
 * record and its own.
 */
export const stagedColumn = (column: number): string => `c${column}`
