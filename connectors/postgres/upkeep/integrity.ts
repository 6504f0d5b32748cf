import { DatabaseError } from '../../../errors.ts'
import type { TillageError } from '../../../errors.ts'
import { placeOf } from '../../server-address.ts'
import type { InconsistentRows } from '../../sql/by-hand.ts'
import { inconsistentRows } from '../../sql/rows/kept-records.ts'
import { runSteps } from '../../sql/steps.ts'
import type { Stream } from '../../stream.ts'
import { statementsOn, withConnections, withSql } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { recordStaging } from '../window/staged-records.ts'

/**
 * What the server itself has noticed: pages whose checksum was wrong when they were read, in a
 * cluster that has checksums, and indexes that it does not use any more. It does not read every
 * page for that; who administers it has `pg_amcheck`.
 */
export const readDamage = (address: string): Promise<string[]> =>
  withSql(
    address,
    async sql => {
      const pages = await sql.all<{ failures: number; last: string }>(FAILED_PAGES)
      const indexes = await sql.all<{ name: string }>(INVALID_INDEXES)
      return [
        ...pages.map(
          ({ failures, last }) =>
            `the server found ${failures} pages of the database with a wrong checksum, ` +
            `the last one at ${last}`,
        ),
        ...indexes.map(({ name }) => `index ${name} is not valid: REINDEX INDEX ${name}`),
      ]
    },
    { most: 1, readonly: true },
  )

const FAILED_PAGES = `
  SELECT checksum_failures AS failures, CAST(checksum_last_failure AS text) AS last
  FROM pg_stat_database WHERE datname = current_database() AND checksum_failures > 0`

const INVALID_INDEXES = `
  SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE relnamespace = current_schema()::regnamespace AND NOT indisvalid ORDER BY relname`

/** The error that a damaged database is, with its remedy. */
export const damageError = (address: string): TillageError =>
  new DatabaseError('DATABASE_BROKEN', `${placeOf(address)} is damaged`, {
    remedy:
      'Ask whoever administers the server: its log says more, and its own backup (pg_dump, point ' +
      'in time) brings back what is damaged. Records can be fetched again; their history, which ' +
      'of them are gone, what was discarded and what was sent to the API cannot.',
  })

/**
 * What no server can see: a digit that was changed inside a value. Each row is compared with the
 * record that is kept of it, columns and lines; it says that the two differ, not which of them is
 * right.
 */
export const readInconsistentRows = (
  address: string,
  streams: readonly Stream[],
): Promise<InconsistentRows[]> =>
  withConnections(address, async connections => {
    const found: InconsistentRows[] = []
    for (const stream of streams)
      found.push(
        ...(await inTransaction(connections, client =>
          runSteps(statementsOn(client), inconsistentRows(recordStaging(client), stream)),
        )),
      )
    return found
  })
