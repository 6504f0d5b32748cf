import { TEXT } from './bookkeeping.ts'

/**
 * What belongs to a database and not to its story: a database that is a file keeps it in files
 * beside it, and no copy takes it along. Here it is for all machines that work with the database.
 */
export const TABLES_BESIDE: ReadonlySet<string> = new Set(['kept_secrets'])

export const BESIDE = [
  `CREATE TABLE kept_secrets (name ${TEXT} PRIMARY KEY, value ${TEXT} NOT NULL)`,
]
