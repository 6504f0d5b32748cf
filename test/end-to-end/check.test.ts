import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../sandbox/server.ts'
import { answeredBy } from '../helpers/asked.ts'
import { control, RANGE, startProject, storesOf, waitFor } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'

let sandbox: Sandbox
let project: Project
let close: () => Promise<void>
beforeAll(async () => {
  ;({ sandbox, project, close } = await startProject({ stores: 2, transactionsPerDay: 10 }))
  const [one, other] = storesOf(sandbox)
  project.configure([one!, { ...other, developerKey: 'no-key-of-anybody' }])
  expect(
    await project.run('sync', 'transactions', ...RANGE, '--store', sandbox.stores[0]!.id),
  ).toMatchObject({ status: 0 })
})
afterAll(() => close())

test('a store that cannot be checked says why, and the others keep their results', async () => {
  const [sound, locked] = sandbox.stores.map(({ id }) => id)
  const { status, stdout, stderr } = await project.run('check', 'transactions', '--json')
  const { stores } = JSON.parse(stdout) as {
    stores: { store: string; streams: object[]; error?: object }[]
  }
  expect(stores[0]).toMatchObject({ store: sound, unread: [] })
  expect(stores[0]!.streams.length).toBeGreaterThan(0)
  expect(stores[1]).toEqual({
    store: locked,
    streams: [],
    unread: [],
    error: {
      code: 'PARTNER_KEYS',
      message: expect.any(String) as string,
      remedy: expect.any(String) as string,
    },
  })
  expect(stderr).toContain(`${locked}: PARTNER_KEYS: `)
  expect(stderr).not.toContain('    at ')
  expect(status).toBe(1)
})

test('where nothing is proven, nothing was compared: that is no success', async () => {
  const store = sandbox.stores[0]!.id
  const { status, stdout, stderr } = await project.run(
    'check',
    'vendors',
    '--store',
    store,
    '--json',
  )
  expect(JSON.parse(stdout)).toMatchObject({ stores: [{ store, streams: [], unread: [] }] })
  expect(stderr).toContain(`${store}: nothing of this is proven yet`)
  expect(status).toBe(3)
})

test('one Ctrl-C ends a check in order', async () => {
  await control(sandbox, 'POST', 'faults', [
    { match: 'transactions', latencyMs: 60_000, times: 20 },
  ])
  const before = await answeredBy(sandbox)
  const running = project.start('check', 'transactions', '--json', '--store', sandbox.stores[0]!.id)
  await waitFor(async () => (await answeredBy(sandbox)) > before, 'the check to be at work')
  running.kill('SIGINT')
  const { status, stdout } = await running.outcome
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'INTERRUPTED' } })
  expect(status).toBe(1)
})
