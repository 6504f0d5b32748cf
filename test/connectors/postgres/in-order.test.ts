import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inOrder } from '../../../connectors/postgres/connection/sql-connection.ts'
import type { InOrder } from '../../../connectors/postgres/connection/sql-connection.ts'
import { createCursors } from '../../../connectors/postgres/snapshot/cursors.ts'
import type { Cursors } from '../../../connectors/postgres/snapshot/cursors.ts'
import { postgresForTests } from '../../helpers/postgres.ts'

let client: Client
/** Statements that the driver has not answered yet, at most. */
let mostAtOnce = 0

beforeAll(async () => {
  const url = new URL((await postgresForTests()).url)
  url.searchParams.delete('schema')
  client = new Client({ connectionString: url.href })
  await client.connect()
  await client.query('BEGIN')
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  let waiting = 0
  const counted = (...given: unknown[]): Promise<unknown> => {
    mostAtOnce = Math.max(mostAtOnce, ++waiting)
    return query(...given).finally(() => waiting--)
  }
  client.query = counted as unknown as typeof client.query
})
afterAll(() => client.end())

/** A list is read, and something is looked up for each part of it. */
async function readRows(asked: InOrder, cursors: Cursors): Promise<number> {
  let count = 0
  for await (const rows of cursors('SELECT n FROM generate_series(1, 5000) n', {})) {
    count += rows.length
    await asked(one => one.query('SELECT 1'))
  }
  return count
}

it('a connection is asked one statement at a time, whoever reads ahead', async () => {
  mostAtOnce = 0
  const asked = inOrder(client)
  const cursors = createCursors(asked)
  const both = [readRows(asked, cursors), readRows(asked, cursors)]
  expect(await Promise.all(both)).toEqual([5000, 5000])
  expect(mostAtOnce).toBe(1)
})

it('without order, the driver would have to keep statements back', async () => {
  mostAtOnce = 0
  const asked: InOrder = ask => ask(client)
  expect(await readRows(asked, createCursors(asked))).toBe(5000)
  expect(mostAtOnce).toBe(2)
})
