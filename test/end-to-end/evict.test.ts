import { join } from 'node:path'
import { asyncLocalStorage } from '@temporalio/activity'
import type { Context } from '@temporalio/activity'
import { expect, test } from 'vitest'
import { createDependencies } from '../../activities/dependencies.ts'
import { syncWindow } from '../../activities/sync-window.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { createEndpoint } from '../../connectors/partner/endpoint.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { governorAlone } from '../helpers/governor.ts'
import { startProject, storesOf } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'

const SIGNAL = new AbortController().signal
const DAYS = ['--from', '2026-03-10', '--to', '2026-03-12']
const WINDOW = { start: '2026-03-10T07:00:00.000Z', end: '2026-03-12T07:00:00.000Z' }

/** As before clients asked whose shop they are: a window of one store, with another's key. */
async function readWithOtherKey(project: Project, sandbox: Sandbox): Promise<void> {
  const path = join(project.folder, 'tillage-data', 'tillage.db')
  const destination = await openDestination(path, streams)
  const [first, second] = storesOf(sandbox) as { id: string; developerKey: string }[]
  const { baseUrl, partnerKey } = sandbox
  const limits = { concurrency: 4, requestsPerSecond: Infinity }
  const settings = { ...second!, baseUrl, partnerKey, timeZone: undefined, limits }
  const dependencies = createDependencies(destination, streams, [settings], () =>
    Promise.reject(new Error('no books here')),
  )
  const { developerKey } = first!
  const client = createPartnerClient({ baseUrl, partnerKey, developerKey })
  const governor = governorAlone(limits)
  const unasked = {
    ...dependencies.store(second!.id),
    client,
    endpoint: (stream: (typeof streams)[number]) =>
      createEndpoint(stream, { client, governor, concurrency: 4 }),
  }
  dependencies.store = () => unasked
  const info = { workflowExecution: { workflowId: 'w', runId: 'r' } }
  const zone = { store: second!.id, stream: 'transactions', timeZone: 'America/Los_Angeles' }
  await asyncLocalStorage.run({ cancellationSignal: SIGNAL, info } as unknown as Context, () =>
    syncWindow(dependencies, { ...zone, window: WINDOW }, SIGNAL),
  )
  await client.close()
  await dependencies.close()
}

const sales = (project: Project, store: string): unknown =>
  project.query(
    `SELECT count(*), count(DISTINCT shop_id) FROM transactions
     WHERE store_id = '${store}' AND deleted_at IS NULL`,
  )[0]

test('sales of another shop go with their windows and books named, and after a sync all is as before', async () => {
  const { sandbox, project, close } = await startProject({ stores: 2, transactionsPerDay: 15 })
  try {
    const [downtown, harbor] = sandbox.stores.map(({ id }) => id)
    const synced = await project.run('sync', 'transactions', ...DAYS)
    expect(synced.status, synced.stderr).toBe(0)
    const exported = await project.run('export', 'transactions', ...DAYS, '--store', harbor!)
    expect(exported.status, exported.stderr).toBeOneOf([0, 3])
    const before = sales(project, harbor!)
    await readWithOtherKey(project, sandbox)
    expect((sales(project, harbor!) as number[])[1]).toBe(2)
    const shop = sandbox.stores[0]!.shopId
    const evict = ['store', 'evict', harbor!, '--shop', shop]
    const dry = await project.run(...evict, '--dry-run')
    expect(dry).toMatchObject({ status: 3 })
    expect((sales(project, harbor!) as number[])[1]).toBe(2)
    const done = await project.run(...evict, '--by', 'Ana', '--reason', 'wrong key', '--json')
    expect(done, done.stderr).toMatchObject({ status: 3 })
    const report = JSON.parse(done.stdout) as Record<string, unknown>
    expect(report).toMatchObject({
      streams: [{ stream: 'transactions' }],
      bookedDays: expect.arrayContaining(['2026-03-10', '2026-03-11']) as unknown,
      changedDays: expect.arrayContaining(['2026-03-10', '2026-03-11']) as unknown,
    })
    const left = `SELECT count(*) FROM versions WHERE store_id = '${harbor}' AND raw LIKE '%${shop}%'`
    expect(project.query(left)).toEqual([[0]])
    expect(
      await project.run('coverage', 'transactions', ...DAYS, '--store', harbor!),
    ).toMatchObject({ status: 3 })
    expect((await project.run('sync', 'transactions', ...DAYS)).status).toBe(0)
    expect(sales(project, harbor!)).toEqual(before)
    expect(await project.run(...evict, '--reason', 'again')).toMatchObject({ status: 0 })
    const own = await project.run('store', 'evict', downtown!, '--shop', shop, '--reason', 'r')
    expect(own, own.stderr).toMatchObject({ status: 2 })
    expect(own.stderr).toContain('these rows are its own')
    const log = await project.run('audit-log', '--json')
    expect(log.stdout).toContain('store evict')
  } finally {
    await close()
  }
})
