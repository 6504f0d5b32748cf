import { DatabaseError } from '../../../errors.ts'
import type { Sql } from '../../sql/connection.ts'
import { rowTable } from '../../sql/row-table.ts'
import type { Stream } from '../../stream.ts'
import type { Connections } from '../connection/connections.ts'
import { IN_TURN } from '../connection/serial.ts'
import { sqlOn, statementsOn } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { BOOKKEEPING } from './bookkeeping.ts'
import { STANDING_INDEXES } from './standing-indexes.ts'
import { streamTables } from './stream-tables.ts'
import { streamViews } from './stream-views.ts'
import { hasTable, STEPS_TABLE, tablesIn } from './tables-in.ts'

/** Steps of the bookkeeping tables, in their order; a step never changes. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  '0001-bookkeeping': BOOKKEEPING,
  '0002-standing-indexes': STANDING_INDEXES,
}

/**
 * Brings bookkeeping tables and stream tables up to date, all in one transaction: of several that
 * start on a new database at once, one makes the tables and the others wait for it. Most commands
 * find everything in place, and wait for nobody.
 */
export async function migrate(connections: Connections, streams: readonly Stream[]): Promise<void> {
  const { place } = connections
  if ((await pendingSteps(sqlOn(connections), place, streams)).length === 0) return
  await inTransaction(connections, async client => {
    await client.query(IN_TURN)
    const sql = statementsOn(client)
    const pending = await pendingSteps(sql, place, streams)
    await sql.run(MAKE_STEPS_TABLE)
    for (const { name, statements, isKept } of pending) {
      for (const statement of statements) await sql.run(statement)
      if (isKept) await sql.run(`INSERT INTO ${STEPS_TABLE} VALUES (@name)`, { name })
    }
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

const statementsOf = (stream: Stream): string[] => [...streamTables(stream), ...streamViews(stream)]

/** What makes all tables in an empty schema. */
export const allSteps = (streams: readonly Stream[]): string[] => [
  MAKE_STEPS_TABLE,
  ...Object.entries(STEPS).flatMap(([name, statements]) => [
    ...statements,
    `INSERT INTO ${STEPS_TABLE} VALUES ('${name}')`,
  ]),
  ...streams.flatMap(statementsOf),
]

const MAKE_STEPS_TABLE = `CREATE TABLE IF NOT EXISTS ${STEPS_TABLE} (name text PRIMARY KEY)`

interface PendingStep {
  name: string
  statements: readonly string[]
  /** Its name stands in the database afterwards. */
  isKept: boolean
}

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
  const steps = Object.entries(STEPS).filter(([name]) => !applied.includes(name))
  return [
    ...steps.map(([name, statements]) => ({ name, statements, isKept: true })),
    ...streams
      .filter(({ name }) => !tables.has(rowTable(name)))
      .map(stream => ({
        name: `tables of ${stream.name}`,
        statements: statementsOf(stream),
        isKept: false,
      })),
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

/** Fails with DATABASE_BROKEN where there are tables and none of ours. */
export function refuseForeign(place: string, tables: ReadonlySet<string>): void {
  if (tables.size === 0 || tables.has(STEPS_TABLE)) return
  throw new DatabaseError(
    'DATABASE_BROKEN',
    `${place} holds tables, and none of Tillage: ${[...tables].slice(0, 3).join(', ')}`,
    { remedy: 'Name a schema of its own in database: of tillage.yaml (?schema=tillage).' },
  )
}
