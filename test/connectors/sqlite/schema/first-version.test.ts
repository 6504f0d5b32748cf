import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { migrate } from '../../../../connectors/sqlite/schema/migrate.ts'
import { FIRST_STEP, POSTED_DAYS } from '../../../../connectors/sqlite/schema/migrations.ts'
import { openOutboundStore } from '../../../../connectors/sqlite/tables/outbound.ts'
import { newPath } from '../window-database.ts'

/** The bookkeeping as the first version left it whose databases are opened. */
const DUMP = readFileSync(new URL('first-version.sql', import.meta.url), 'utf8')

function firstVersion(more = ''): string {
  const path = newPath()
  const database = new Database(path)
  database.exec(DUMP + more)
  database.close()
  return path
}

function read(path: string, sql: string): unknown[] {
  const database = new Database(path, { readonly: true })
  try {
    return database.prepare(sql).raw().all()
  } finally {
    database.close()
  }
}

const schemaOf = (path: string): string[] =>
  read(path, `SELECT sql FROM sqlite_schema WHERE sql NOT LIKE '%kysely%' ORDER BY name`).map(row =>
    String(row)
      .replaceAll(/[\s"]+/g, ' ')
      .replaceAll(/ ?([(),]) ?/g, '$1')
      .toLowerCase(),
  )

test('a database of the first version gets the tables and the steps of a new one', async () => {
  const [old, made] = [firstVersion(), newPath()]
  await migrate(made, [])
  expect(schemaOf(old)).not.toEqual(schemaOf(made))
  await migrate(old, [])
  expect(schemaOf(old)).toEqual(schemaOf(made))
  const steps = 'SELECT name FROM kysely_migration ORDER BY name'
  expect(read(old, steps)).toEqual(read(made, steps))
})

test('a database that has all steps under their earlier names is up to date', async () => {
  const path = newPath()
  await migrate(path, [])
  const database = new Database(path)
  database.exec(`INSERT INTO kysely_migration VALUES ('0001-bookkeeping', '2026-11-01')`)
  database.close()
  const before = schemaOf(path)
  await migrate(path, [])
  expect(schemaOf(path)).toEqual(before)
})

test('a database from before the first version is refused and stays as it is', async () => {
  const path = firstVersion(`DELETE FROM kysely_migration WHERE name = '${FIRST_STEP}';`)
  await expect(migrate(path, [])).rejects.toMatchObject({
    code: 'DATABASE_TOO_OLD',
    message: expect.stringContaining('0015-forgotten-members'),
    remedy: expect.stringContaining('tillage sync'),
  })
  const left = read(path, 'SELECT count(*), max(name) FROM kysely_migration')
  expect(left).toEqual([[15, '0015-forgotten-members']])
  expect(read(path, `SELECT name FROM sqlite_schema WHERE name = 'outbound_runs'`)).toEqual([])
})

test('plans, approvals and receipts of the first version are kept', async () => {
  const document = '/srv/audits/exports/downtown/audits/AUD-1/plans/PLN-1/plan_PLN-1.json'
  const path = firstVersion(`
    INSERT INTO outbound_plans
      VALUES ('PLN-1', 'reconcile', 'hash', '${document}', '2026-11-01', '{"store":"downtown"}');
    INSERT INTO outbound_approvals
      VALUES ('PLN-1', 0, 'Kim', 'manager', '2026-11-01', 'hash', '{}');
    INSERT INTO outbound_receipts
      VALUES ('PLN-1', 1, 'op-1', '/srv/receipt.json', 'sha', NULL, '{}');`)
  await migrate(path, [])
  const store = openOutboundStore(path)
  expect(await store.plan('PLN-1')).toEqual({
    plan: 'PLN-1',
    kind: 'reconcile',
    hash: 'hash',
    createdAt: '2026-11-01',
    facts: { store: 'downtown', audit: 'AUD-1' },
  })
  expect(await store.approvals('PLN-1')).toMatchObject([{ by: 'Kim', origin: '' }])
  expect(await store.receipts('PLN-1')).toMatchObject([{ seq: 1, body: '{}' }])
  expect(await store.runs('PLN-1')).toEqual([])
  await store.close()
})

test('days posted by the first version hold what was read an hour before, or what a night read', async () => {
  const reading = (batch: number, at: string): string =>
    `INSERT INTO readings VALUES (${batch}, 's', 't', '', '', 'proven', '{}', '${at}');`
  const entry = (store: string, day: string, number: string, at: string): string =>
    `INSERT INTO journal_entries (store_id, day, number, place, revision, entry, posted_at)
     VALUES ('${store}', '${day}', '${number}', 0, 0, '{}', '${at}');`
  const path = firstVersion(
    [
      reading(1, '2026-03-09T08:00:00.000Z'),
      reading(2, '2026-03-09T09:30:00.000Z'),
      reading(3, '2026-03-10T08:00:00.000Z'),
      entry('downtown', '2026-03-07', 'R0', '2026-03-01T00:00:00.000Z'),
      entry('downtown', '2026-03-08', 'R0', '2026-03-08T00:00:00.000Z'),
      entry('downtown', '2026-03-08', 'R1', '2026-03-09T10:00:00.000Z'),
      entry('harbor', '2026-03-08', 'R0', '2026-03-09T10:00:00.000Z'),
      `INSERT INTO booked_days VALUES ('harbor', '2026-03-08', 'hash', 3);`,
    ].join('\n'),
  )
  await migrate(path, [])
  expect(read(path, 'SELECT store_id, day, batch FROM posted_days ORDER BY 1, 2')).toEqual([
    ['downtown', '2026-03-07', 0],
    ['downtown', '2026-03-08', 1],
    ['harbor', '2026-03-08', 3],
  ])
})

test('the step that notes posted days looks at all readings once, not once for each day', async () => {
  const path = firstVersion()
  await migrate(path, [])
  const plan = read(path, `EXPLAIN QUERY PLAN ${POSTED_DAYS[1]!}`)
  expect(plan.join('\n')).toMatch(/SCAN (r|readings)/)
  expect(plan.join('\n')).not.toContain('CORRELATED')
})
