import type { ClientBase } from 'pg'
import type { CopySource } from '../../copy/ends.ts'
import { MOVED, markMoved, placeMovedTo } from '../../copy/marks.ts'
import { quoteName as quote, quoteText as literal } from '../../quote.ts'
import { openConnections } from '../connection/connections.ts'
import { MOVED_STATE } from '../connection/postgres-errors.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { hasTable, tablesIn } from '../schema/existing-schema.ts'
import { takeAlone } from '../upkeep/exclusive.ts'
import { readTables, readerOf } from './reader.ts'
import type { Tables } from './reader.ts'

/**
 * The schema, in one transaction in which nobody else writes to a table of it. Fails with
 * DATABASE_BUSY where another program has it open. Whoever waits for its end is refused once it is
 * marked.
 */
export async function openCopySource(address: string): Promise<CopySource> {
  const connections = openConnections(address, { most: 1 })
  const client = await connections.connect().catch(async (cause: unknown) => {
    await connections.end()
    throw cause
  })
  const close = async (): Promise<void> => {
    client.release(true)
    await connections.end()
  }
  let movedTo: string | undefined
  let tables: Tables
  try {
    await client.query('BEGIN')
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await client.query(`SET LOCAL ${limit} = 0`)
    await takeAlone(client, connections.place)
    await client.query(`LOCK TABLE ${await allTables(client)} IN SHARE ROW EXCLUSIVE MODE`)
    tables = await readTables(client)
    const sql = statementsOn(client)
    if (await hasTable(sql, MOVED)) movedTo = await placeMovedTo(sql)
  } catch (cause) {
    await close()
    throw cause
  }
  return {
    ...readerOf(client, connections.place, tables),
    movedTo,
    lacksNul: true,
    async rawOf(table, rid) {
      const sql = `SELECT raw FROM ${quote(table)} WHERE rid = $1`
      return (await client.query<{ raw: string }>(sql, [rid])).rows[0]?.raw
    },
    async markMoved(place) {
      await markMoved(statementsOn(client), place)
      await refuseWrites(client, place)
      await client.query('COMMIT')
    },
    close,
  }
}

const allTables = async (client: ClientBase): Promise<string> =>
  [...(await tablesIn(statementsOn(client)))].map(quote).join(', ')

/** Whatever has the database open: a statement that would write fails. */
async function refuseWrites(client: ClientBase, place: string): Promise<void> {
  await client.query(`CREATE OR REPLACE FUNCTION refuse_moved() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${MOVED_STATE}', MESSAGE = ${literal(place)}; END $$`)
  for (const table of await tablesIn(statementsOn(client)))
    if (table !== MOVED)
      await client.query(`CREATE OR REPLACE TRIGGER moved
        BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${quote(table)}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_moved()`)
}
