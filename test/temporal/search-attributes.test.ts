import { join } from 'node:path'
import { Client } from '@temporalio/client'
import { expect, it, test } from 'vitest'
import { openConnection } from '../../temporal/open-connection.ts'
import { findMissingAttributes, hasSearchAttributes } from '../../temporal/search-attributes.ts'
import { embeddedAddress } from '../../temporal/server/server-folder.ts'
import { SEARCH_ATTRIBUTES, searchAttributesOf } from '../../workflows/start-facts.ts'
import { startProject, storesOf, waitFor } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

const said = (id: string): Record<string, unknown> =>
  Object.fromEntries(searchAttributesOf(id).map(({ key, value }) => [key.name, value]))

it.each([
  [
    'sync/downtown/transactions/2026-10-28..2026-10-29',
    {
      TillageStore: 'downtown',
      TillageStream: 'transactions',
      TillageKind: 'sync',
      TillageDay: '2026-10-28',
    },
  ],
  [
    'sync/downtown/transactions/2026-10-01..2026-10-29/again',
    { TillageStore: 'downtown', TillageStream: 'transactions', TillageKind: 'sync' },
  ],
  ['sync/downtown/vendors+brands/latest/store', { TillageStore: 'downtown', TillageKind: 'sync' }],
  ['scheduled/nightly/downtown', { TillageStore: 'downtown', TillageKind: 'nightly' }],
  [
    'night/downtown/2026-10-28',
    { TillageStore: 'downtown', TillageKind: 'nightly', TillageDay: '2026-10-28' },
  ],
  ['hints/downtown', { TillageStore: 'downtown', TillageKind: 'hints' }],
  ['due/PL-1', { TillageKind: 'due' }],
  ['apply/PL-1/run', { TillageKind: 'apply' }],
])('%s is found by what it is about', (id, attributes) => {
  expect(said(id)).toEqual(attributes)
})

async function clientOf(address: string, namespace: string): Promise<Client> {
  return new Client({ connection: await openConnection({ address }), namespace })
}

async function idsFound(client: Client, query: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId)
  return ids.toSorted()
}

test('a server of our own finds a sync and its lists by store, stream, kind and day', async () => {
  const { project, sandbox, close } = await startProject({ stores: 1, days: 2 }, { embedded: true })
  const { id: store } = storesOf(sandbox)[0] as { id: string }
  try {
    project.configure(storesOf(sandbox))
    const day = ['--from', 'yesterday', '--to', 'today']
    expect(await project.run('sync', 'transactions', 'vendors', ...day)).toMatchObject({
      status: 0,
    })
    const address = embeddedAddress(join(project.folder, 'tillage-data', 'tillage.db'))!
    const client = await clientOf(address, 'default')
    const all = `TillageStore = '${store}' AND TillageKind = 'sync'`
    await waitFor(async () => (await idsFound(client, all)).length === 3, 'three to be found')
    const [one, ...others] = await idsFound(client, `${all} AND TillageStream = 'transactions'`)
    expect(one).toMatch(new RegExp(`^sync/${store}/transactions/`))
    expect(others).toEqual([])
    expect(await idsFound(client, `TillageStore = 'elsewhere'`)).toEqual([])
    const schedules = {
      nightly: { every: 'daily' },
      sweep: { every: 'never' },
      check: { every: 'never' },
    }
    project.configure(storesOf(sandbox), { schedules })
    for (const change of ['created', 'unchanged']) {
      const { stdout } = await project.run('schedule', 'apply', '--json')
      expect(JSON.parse(stdout)).toMatchObject({ changes: [{ id: `nightly/${store}`, change }] })
    }
    const { action } = await client.schedule.getHandle(`nightly/${store}`).describe()
    expect(JSON.stringify(action.typedSearchAttributes)).toContain('"TillageKind"')
    await client.connection.close()
  } finally {
    await close()
  }
})

test('a namespace without them is told from one that somebody has added them to', async () => {
  const { address, namespace } = await ownNamespace()
  const client = await clientOf(address, namespace)
  expect(await findMissingAttributes(client)).toEqual(SEARCH_ATTRIBUTES)
  const add = (names: readonly string[]) =>
    client.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(names.map(name => [name, 2])),
    })
  const [first, ...others] = SEARCH_ATTRIBUTES
  await add([first!])
  await expect.poll(() => findMissingAttributes(client)).toEqual(others)
  expect(await hasSearchAttributes(client)).toBe(false)
  await add(others)
  await expect.poll(() => hasSearchAttributes(client)).toBe(true)
  const typedSearchAttributes = searchAttributesOf('night/downtown/2026-10-28')
  const start = { workflowId: 'found', taskQueue: 'nobody', typedSearchAttributes }
  await client.workflow.start('found', start)
  await client.connection.close()
})
