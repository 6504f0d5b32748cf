import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  create,
  createSql,
  migrate,
  readMissing,
  refuseOlder,
} from '../../../connectors/database.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { transactions } from '../../../connectors/partner/streams/transactions.ts'
import { TABLES_BESIDE } from '../../../connectors/postgres/schema/beside.ts'
import { makeRole } from '../../../connectors/postgres/schema/rights.ts'
import { rememberRefresh } from '../../../connectors/postgres/tables/shown-books.ts'
import { shownBooks } from '../../../exports/sales/shown-books.ts'
import { postgresForTests } from '../../helpers/postgres.ts'

/** Who signs in: may make neither roles nor schemas. */
const PLAIN = `plain_${process.pid}`
const opened: Client[] = []

async function connect(url: string, role?: string): Promise<Client> {
  const [address, schema] = [new URL(url), new URL(url).searchParams.get('schema')]
  address.search = ''
  const client = new Client({ connectionString: address.href })
  await client.connect()
  opened.push(client)
  await client.query(`SET search_path TO ${schema}`)
  if (role !== undefined) await client.query(`SET ROLE ${role}`)
  return client
}

const bookViews = (url: string): Promise<void> =>
  rememberRefresh(url, { books: shownBooks(transactions), store: 'downtown', batch: 1 })

const as = (url: string, role: string): string => url.replace('tillage@', `${role}@`)

let url: string

beforeAll(async () => {
  url = (await postgresForTests()).url
  const client = await connect(url)
  await client.query(`CREATE ROLE ${PLAIN} LOGIN`)
})

afterAll(async () => {
  const client = await connect(url)
  await client.query(`DROP OWNED BY ${PLAIN}; DROP ROLE ${PLAIN}`)
  for (const one of opened) await one.end()
})

it('makes tables and roles, and does so again without harm', async () => {
  const first = await create(url, streams)
  expect(first).toMatchObject({ owner: 'tillage', roles: ['tillage_worker', 'tillage_reader'] })
  expect(await create(url, streams)).toEqual({ ...first, made: [] })
  await refuseOlder(url, streams)
})

it('makes indexes again that somebody has dropped, as their owner', async () => {
  const client = await connect(url)
  const dropped = ['windows_unproven', 'rows_transactions_booked']
  await client.query(`DROP INDEX ${dropped.join(', ')}`)
  const missing = async () => (await readMissing(url, streams)).parts.toSorted()
  expect(await missing()).toEqual(dropped.toSorted().map(name => `index ${name} is missing`))
  await create(url, streams)
  expect(await missing()).toEqual([])
})

it('leaves a dropped index to its owner where this role may not make it', async () => {
  const client = await connect(url)
  await client.query(`GRANT tillage_worker TO ${PLAIN}`)
  await client.query('DROP INDEX windows_unproven')
  await migrate(as(url, PLAIN), streams)
  const missing = async () => (await readMissing(url, streams)).parts
  expect(await missing()).toEqual(['index windows_unproven is missing'])
  await migrate(url, streams)
  expect(await missing()).toEqual([])
})

it('notes a table that is made anew whole, also where it had fewer columns before', async () => {
  const client = await connect(url)
  await client.query(`UPDATE tillage_parts SET definition = 'id text' WHERE name = 'rows_vendors'`)
  await client.query('DROP TABLE rows_vendors CASCADE')
  await create(url, streams)
  await client.query('ALTER TABLE rows_vendors DROP COLUMN phone CASCADE')
  const named = 'column phone of table rows_vendors is missing'
  expect((await readMissing(url, streams)).parts).toContain(named)
  await create(url, streams)
})

it('leaves a column that somebody has added theirs to take away, whatever is made beside it', async () => {
  const client = await connect(url)
  await client.query('ALTER TABLE rows_vendors RENAME phone TO phone2')
  await create(url, streams)
  expect((await readMissing(url, streams)).parts).toEqual([])
  await client.query('ALTER TABLE rows_vendors DROP COLUMN phone2')
  expect((await readMissing(url, streams)).parts).toEqual([])
  await client.query('ALTER TABLE rows_vendors DROP COLUMN phone CASCADE')
  expect((await readMissing(url, streams)).parts).toContain(
    'column phone of table rows_vendors is missing',
  )
  await create(url, streams)
})

it('makes a role that another program is about to make', async () => {
  const [one, other, watch] = [await connect(url), await connect(url), await connect(url)]
  const role = `twice_${process.pid}`
  await one.query('BEGIN')
  await one.query(makeRole(role))
  const made = other.query(makeRole(role))
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
    AND query LIKE '%CREATE ROLE ${role} %'`
  // Inside a transaction, the view would go on to say what it has said once.
  await expect.poll(async () => (await watch.query(waiting)).rowCount).toBe(1)
  await one.query('COMMIT')
  await made
  await one.query(`DROP ROLE ${role}`)
})

it('shows a reader every view of lists and books, and no person, no raw and no table', async () => {
  await create(url, streams)
  await bookViews(url)
  const reader = await connect(url, 'tillage_reader')
  const may = async (sql: string): Promise<boolean> => {
    try {
      await reader.query(sql)
      return true
    } catch (error) {
      if ((error as { code?: string }).code === '42501') return false
      throw error
    }
  }
  expect(await may('SELECT store_id, id, trans_no FROM transactions')).toBe(true)
  expect(await may('SELECT * FROM books_transactions')).toBe(true)
  expect(await may('SELECT count(*) FROM members')).toBe(true)
  const refused: string[] = []
  for (const { name, singular, columns, children } of streams) {
    const people = Object.entries(columns).filter(([, { privacy }]) => privacy === 'person')
    for (const [column] of people) refused.push(`SELECT "${column}" FROM ${name}`)
    refused.push(`SELECT raw FROM ${name}`, `SELECT raw FROM ${name}_versions`)
    refused.push(`SELECT 1 FROM rows_${name}`, `SELECT 1 FROM stored_${name}`)
    for (const child of Object.keys(children)) refused.push(`SELECT 1 FROM rows_${child}`)
    expect(await may(`SELECT store_id FROM ${name}_seen`), name).toBe(true)
    if (singular === 'member') refused.push(`SELECT id FROM ${name}`, `SELECT id FROM ${name}_seen`)
  }
  for (const table of [
    'versions',
    'dead_letters',
    'audit_log',
    'windows',
    'rows_books_items',
    ...TABLES_BESIDE,
  ])
    refused.push(`SELECT 1 FROM ${table}`)
  for (const sql of refused) expect(await may(sql), sql).toBe(false)
})

it('lets a worker read and write, but not change the audit log or the steps', async () => {
  await create(url, streams)
  const worker = await connect(url, 'tillage_worker')
  await worker.query(`INSERT INTO lateness VALUES ('downtown', 'transactions', '2026-03-01', 1, 1)`)
  await worker.query('DELETE FROM lateness')
  for (const table of TABLES_BESIDE) await worker.query(`DELETE FROM ${table}`)
  await worker.query('SELECT * FROM stored_transactions')
  for (const sql of ['DELETE FROM audit_log', 'DELETE FROM tillage_steps'])
    await expect(worker.query(sql), sql).rejects.toMatchObject({ code: '42501' })
})

it('prints statements that make all of it in the name of who signs in', async () => {
  const { url: other, schema } = await postgresForTests()
  const client = await connect(other)
  await client.query(`DROP SCHEMA ${schema}`)
  const address = as(other, PLAIN)
  await expect(migrate(address, streams)).rejects.toMatchObject({ code: 'DATABASE_REFUSED' })
  await client.query((await createSql(address, streams))!)
  await refuseOlder(address, streams)
  expect(await create(address, streams)).toMatchObject({ owner: PLAIN, made: [] })
  const again = await client.query(
    `SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = '${schema}'`,
  )
  expect(again.rows).toEqual([{ tableowner: PLAIN }])
})

it('says what somebody else has to run where this role may not, and changes nothing', async () => {
  const address = as(url, PLAIN).replace(/schema=\w+/, 'schema=not_there')
  await expect(create(address, streams)).rejects.toMatchObject({
    code: 'DATABASE_REFUSED',
    remedy: expect.stringContaining(`CREATE SCHEMA "not_there" AUTHORIZATION "${PLAIN}";`),
  })
})
