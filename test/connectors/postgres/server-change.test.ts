import { beforeEach, expect, it, onTestFinished } from 'vitest'
import type { OutboundStore, OutboundOperation } from '../../../connectors/destination/outbound.ts'
import { withSql } from '../../../connectors/postgres/connection/sql-connection.ts'
import { postgres } from '../../../connectors/postgres/kind.ts'
import { openOutboundStore } from '../../../connectors/postgres/tables/outbound.ts'
import { changeServer, postgresForTests } from '../../helpers/postgres.ts'
import { runNamed } from '../../outbound/run-named.ts'

const AT = '2026-03-08T12:00:00.000Z'

let url: string
let store: OutboundStore
beforeEach(async () => {
  ;({ url } = await postgresForTests())
  await postgres.migrate(url, [])
  store = openOutboundStore(url)
  onTestFinished(() => store.close())
  await plan('PL-open', 'planned')
  await plan('PL-done', 'confirmed')
})

async function plan(name: string, state: OutboundOperation['state']): Promise<void> {
  const operation = { plan: name, op: 'op-1', token: name, state, attempt: 0, changedAt: AT }
  await store.savePlan({ plan: name, kind: 'push', hash: name, createdAt: AT, facts: {} }, [
    { ...operation, facts: {} },
  ])
}

const begin = (run: string, after: string | null): Promise<boolean> =>
  store.beginRun(runNamed('PL-open', run, AT), after)

const SENT = {
  plan: 'PL-open',
  op: 'op-1',
  at: AT,
  from: ['planned'],
  to: 'submitted',
  event: 'sent',
  detail: '',
  writesTo: 'downtown',
} as const

const eventsOf = async (name: string): Promise<string[]> =>
  (await store.events(name)).map(({ event }) => event)

/** As `pg_restore` makes it: the same rows in another table. */
const restoreDump = (): Promise<void> =>
  changeServer(url, [
    'CREATE TABLE made_anew (LIKE last_server INCLUDING ALL)',
    'INSERT INTO made_anew SELECT * FROM last_server',
    'DROP TABLE last_server',
    'ALTER TABLE made_anew RENAME TO last_server',
  ])

/** The timeline, which a standby that takes over begins anew, is kept by the server alone. */
const takeOver = (): Promise<void> =>
  changeServer(url, [
    `UPDATE last_server SET server = replace(server, '00000001-', '00000000-')`,
    `UPDATE leases SET holder = replace(holder, '00000001-', '00000000-')`,
  ])

it.each([
  ['from a dump', restoreDump],
  ['by a standby', takeOver],
])('a plan that is not finished is marked once the database came back %s', async (_, change) => {
  await change()
  await begin('apply-1', null)
  await begin('apply-2', 'apply-1')
  expect(await eventsOf('PL-open')).toEqual(['restored'])
  expect(await eventsOf('PL-done')).toEqual([])
})

it('a plan is not marked where the server is the same', async () => {
  await begin('apply-1', null)
  expect(await eventsOf('PL-open')).toEqual([])
})

it.each([
  ['from a dump', restoreDump],
  ['by a standby', takeOver],
])('a run sends nothing more once the database came back %s', async (_, change) => {
  await begin('apply-1', null)
  const held = await store.lockStore({ store: 'downtown', run: 'apply-1' }, () => {})
  await change()
  await expect(store.move({ ...SENT, sendsIn: 'apply-1' })).rejects.toMatchObject({
    code: 'WRITES_TAKEN_OVER',
  })
  await held.release()
  await withSql(url, sql => sql.run('DELETE FROM leases'))
  const anew = await store.lockStore({ store: 'downtown', run: 'apply-1' }, () => {})
  expect(await store.move({ ...SENT, sendsIn: 'apply-1' })).toBe(true)
  await anew.release()
})

it('a server that does not tell its timeline is known by the tables alone', async () => {
  await begin('apply-1', null)
  await changeServer(url, [
    `CREATE FUNCTION pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS
     $$ BEGIN RAISE feature_not_supported; END $$`,
    `ALTER FUNCTION server_now() SET search_path = ${new URL(url).searchParams.get('schema')}, pg_catalog`,
  ])
  const asked = await withSql(url, sql => sql.all<{ now: string }>('SELECT server_now() AS now'))
  expect(asked[0]!.now).toMatch(/^\d+$/)
})
