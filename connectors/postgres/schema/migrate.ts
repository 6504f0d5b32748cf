import { DatabaseError } from '../../../errors.ts'
import { COPYING, incompleteError, MOVED, movedError, placeMovedTo } from '../../copy/marks.ts'
import type { Sql } from '../../sql/connection.ts'
import { rowTable } from '../../sql/row-table.ts'
import type { Stream } from '../../stream.ts'
import type { Connections } from '../connection/connections.ts'
import { IN_TURN } from '../connection/serial.ts'
import { sqlOn, statementsOn } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { BOOKKEEPING } from './bookkeeping.ts'
import { FIELDS_OF_RECORDS } from './fields-of-records.ts'
import { notingParts } from './made-parts.ts'
import { STANDING_INDEXES } from './standing-indexes.ts'
import { streamTables } from './stream-tables.ts'
import { streamViews } from './stream-views.ts'
import { hasTable, STEPS_TABLE, tablesIn } from './tables-in.ts'

/** Steps of the bookkeeping tables, in their order; a step never changes. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  '0001-bookkeeping': BOOKKEEPING,
  '0002-standing-indexes': STANDING_INDEXES,
  '0003-fields-of-records': FIELDS_OF_RECORDS,
}

/**
 * Brings bookkeeping tables and stream tables up to date, all in one transaction: of several that
 * start on a new database at once, one makes the tables and the others wait for it. Most commands
 * find everything in place, and wait for nobody.
 */
export async function migrate(connections: Connections, streams: readonly Stream[]): Promise<void> {
  const { place } = connections
  await refuseMoved(sqlOn(connections), place)
  if ((await pendingSteps(sqlOn(connections), place, streams)).length === 0) return
  await inTransaction(connections, async client => {
    await client.query(IN_TURN)
    const sql = statementsOn(client)
    const pending = await pendingSteps(sql, place, streams)
    for (const statement of statementsOf(pending)) await sql.run(statement)
  })
}

/** Fails with DATABASE_OLDER where a command that only reads would have to change the tables. */
export async function refuseOlder(
  sql: Sql,
  place: string,
  streams: readonly Stream[],
): Promise<void> {
  if (!(await hasTable(sql, STEPS_TABLE))) return
  const pending = await pendingSteps(sql, place, streams)
  if (pending.length === 0) return
  throw new DatabaseError(
    'DATABASE_OLDER',
    `${place} was written by an earlier version of Tillage ` +
      `(it lacks ${pending.map(({ name }) => name).join(', ')}), ` +
      'and what only reads does not change it',
    {
      remedy:
        'Back it up (pg_dump), then run what writes: tillage sync, or restart tillage up. ' +
        'It brings the tables up to date first.',
    },
  )
}

/** What makes all tables in an empty schema. */
export const allSteps = (streams: readonly Stream[]): string[] =>
  statementsOf([...pendingOf(Object.entries(STEPS)), ...streams.map(tablesOf)])

const statementsOf = (pending: readonly PendingStep[]): string[] =>
  notingParts([MAKE_STEPS_TABLE, ...pending.flatMap(({ statements }) => statements)])

const MAKE_STEPS_TABLE = `CREATE TABLE IF NOT EXISTS ${STEPS_TABLE} (name text PRIMARY KEY)`

interface PendingStep {
  name: string
  statements: readonly string[]
}

const pendingOf = (
  steps: readonly [name: string, statements: readonly string[]][],
): PendingStep[] =>
  steps.map(([name, statements]) => ({
    name,
    statements: [...statements, `INSERT INTO ${STEPS_TABLE} VALUES ('${name}')`],
  }))

const tablesOf = (stream: Stream): PendingStep => ({
  name: `tables of ${stream.name}`,
  statements: [...streamTables(stream), ...streamViews(stream)],
})

/** What is missing; fails where the tables are of another program, or of a newer version. */
async function pendingSteps(
  sql: Sql,
  place: string,
  streams: readonly Stream[],
): Promise<PendingStep[]> {
  const tables = await tablesIn(sql)
  refuseForeign(place, tables)
  const applied = tables.has(STEPS_TABLE) ? await appliedSteps(sql) : []
  refuseNewer(place, applied)
  return [
    ...pendingOf(Object.entries(STEPS).filter(([name]) => !applied.includes(name))),
    ...streams.filter(({ name }) => !tables.has(rowTable(name))).map(tablesOf),
  ]
}

async function appliedSteps(sql: Sql): Promise<string[]> {
  const found = await sql.all<{ name: string }>(`SELECT name FROM ${STEPS_TABLE}`)
  return found.map(({ name }) => name)
}

function refuseNewer(place: string, applied: readonly string[]): void {
  const newer = applied.filter(name => !(name in STEPS))
  if (newer.length === 0) return
  throw new DatabaseError(
    'DATABASE_NEWER',
    `${place} was written by a newer version of Tillage (it has ${newer.join(', ')})`,
    { remedy: 'Update Tillage, or name another schema in database: of tillage.yaml.' },
  )
}

/** Fails with DATABASE_MOVED where everything is somewhere else. */
async function refuseMoved(sql: Sql, place: string): Promise<void> {
  if (await hasTable(sql, MOVED)) throw movedError(place, await placeMovedTo(sql))
}

/**
 * Fails with DATABASE_BROKEN where there are tables and none of ours, and with DATABASE_INCOMPLETE
 * where they are not all there yet.
 */
export function refuseForeign(place: string, tables: ReadonlySet<string>): void {
  if (tables.has(COPYING)) throw incompleteError(place)
  if (tables.size === 0 || tables.has(STEPS_TABLE)) return
  throw new DatabaseError(
    'DATABASE_BROKEN',
    `${place} holds tables, and none of Tillage: ${[...tables].slice(0, 3).join(', ')}`,
    { remedy: 'Name a schema of its own in database: of tillage.yaml (?schema=tillage).' },
  )
}
