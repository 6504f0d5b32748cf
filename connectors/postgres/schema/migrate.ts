import type { ClientBase } from 'pg'
import { DatabaseError } from '../../../errors.ts'
import { rowTable } from '../../sql/row-table.ts'
import type { Stream } from '../../stream.ts'
import type { Connections } from '../connection/connections.ts'
import { IN_TURN } from '../connection/serial.ts'
import { inTransaction } from '../connection/transaction.ts'
import { BOOKKEEPING } from './bookkeeping.ts'
import { STANDING_INDEXES } from './standing-indexes.ts'
import { streamTables } from './stream-tables.ts'
import { streamViews } from './stream-views.ts'

/** Steps of the bookkeeping tables, in their order; a step never changes. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  '0001-bookkeeping': BOOKKEEPING,
  '0002-standing-indexes': STANDING_INDEXES,
}

/**
 * Brings bookkeeping tables and stream tables up to date, all in one transaction: of several that
 * start on a new database at once, one makes the tables and the others wait for it.
 */
export const migrate = (connections: Connections, streams: readonly Stream[]): Promise<void> =>
  inTransaction(connections, async client => {
    await client.query(IN_TURN)
    const tables = await tablesIn(client)
    if (tables.size > 0 && !tables.has('tillage_steps')) throw foreign(connections.place, tables)
    await client.query('CREATE TABLE IF NOT EXISTS tillage_steps (name text PRIMARY KEY)')
    await addSteps(connections.place, client)
    for (const stream of streams) {
      if (tables.has(rowTable(stream.name))) continue
      for (const statement of [...streamTables(stream), ...streamViews(stream)])
        await client.query(statement)
    }
  })

async function addSteps(place: string, client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM tillage_steps')
  const applied = rows.map(({ name }) => name)
  const newer = applied.filter(name => !(name in STEPS))
  if (newer.length > 0)
    throw new DatabaseError(
      'DATABASE_NEWER',
      `${place} was written by a newer version of Tillage (it has ${newer.join(', ')})`,
      { remedy: 'Update Tillage, or name another schema in database: of tillage.yaml.' },
    )
  for (const [name, statements] of Object.entries(STEPS)) {
    if (applied.includes(name)) continue
    for (const statement of statements) await client.query(statement)
    await client.query('INSERT INTO tillage_steps VALUES ($1)', [name])
  }
}

async function tablesIn(client: ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  )
  return new Set(rows.map(({ name }) => name))
}

const foreign = (place: string, tables: ReadonlySet<string>): DatabaseError =>
  new DatabaseError(
    'DATABASE_BROKEN',
    `${place} holds tables, and none of Tillage: ${[...tables].slice(0, 3).join(', ')}`,
    { remedy: 'Name a schema of its own in database: of tillage.yaml (?schema=tillage).' },
  )
