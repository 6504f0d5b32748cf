import { Migrator } from 'kysely/migration'
import { expect, test } from 'vitest'
import { openConnection } from '../../../../connectors/sqlite/connection/open-connection.ts'
import { kyselyOn } from '../../../../connectors/sqlite/connection/query-builder.ts'
import { migrate } from '../../../../connectors/sqlite/schema/migrate.ts'
import { migrations } from '../../../../connectors/sqlite/schema/migrations.ts'
import { openOutboundStore } from '../../../../connectors/sqlite/tables/outbound.ts'
import { newPath } from '../window-database.ts'

const STEP = '0017-plans-and-runs'

test('a database from before runs of plans opens, with its plans, approvals and receipts', async () => {
  const path = newPath()
  const connection = openConnection(path)
  const db = kyselyOn(connection)
  const earlier = Object.entries(migrations).filter(([name]) => name < STEP)
  const provider = { getMigrations: () => Promise.resolve(Object.fromEntries(earlier)) }
  expect((await new Migrator({ db, provider }).migrateToLatest()).error).toBeUndefined()
  const document = '/srv/audits/exports/downtown/audits/AUD-1/plans/PLN-1/plan_PLN-1.json'
  connection
    .prepare('INSERT INTO outbound_plans VALUES (?, ?, ?, ?, ?, ?)')
    .run('PLN-1', 'reconcile', 'hash', document, '2026-11-01', '{"store":"downtown"}')
  connection
    .prepare('INSERT INTO outbound_approvals VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run('PLN-1', 0, 'Kim', 'manager', '2026-11-01', 'hash', '{}')
  connection
    .prepare('INSERT INTO outbound_receipts VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run('PLN-1', 1, 'op-1', '/srv/receipt.json', 'sha', null, '{}')
  await db.destroy()

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
