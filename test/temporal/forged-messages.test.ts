import { afterAll, beforeAll, expect, test } from 'vitest'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import { control, waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'
import { Stranger } from './stranger.ts'

/** What nobody without our key can bring; `strangers.test.ts` has what they can do. */
let running: Running
let stranger: Stranger
beforeAll(async () => {
  running = await startRunning({ days: 6 }, { schedules: { sweep: { every: 'never' } } })
  stranger = new Stranger(running.worker)
})
afterAll(() => running.close())

const INPUT = { store: 'downtown', from: '2026-03-10', to: '2026-03-12', streams: ['vendors'] }

test.each([
  ['syncStore', INPUT],
  ['upkeep', { store: 'downtown', retention: { versionsDays: 1 } }],
  [
    'push',
    { store: 'downtown', files: [{ catalog: 'products', path: '/tmp/mine.csv', create: [] }] },
  ],
  ['applyPlan', { plan: 'P', run: 'R' }],
  ['sendWhenDue', { plan: 'P' }],
  ['nightly', { store: 'downtown' }],
])(
  'a start of %s by somebody else ends with the reason before any activity runs',
  async (type, input) => {
    const workflowId = `forged-${type}`
    const { taskQueue } = running.worker
    await stranger.client.workflow.start(type, { workflowId, taskQueue, args: [input] })
    expect(await stranger.endOf(workflowId)).toContain('MESSAGE_REFUSED')
    expect(await stranger.activitiesOf(workflowId)).toEqual([])
  },
)

test('a start that carries nothing ends with the reason, too', async () => {
  const { taskQueue } = running.worker
  await stranger.client.workflow.start('syncStore', { workflowId: 'empty', taskQueue })
  expect(await stranger.endOf('empty')).toContain('ours carry one')
  expect(await stranger.activitiesOf('empty')).toEqual([])
})

test('a message that was copied out of another history is not obeyed', async () => {
  const { client, taskQueue } = running.worker
  const original = await client.workflow.start('syncStore', {
    workflowId: 'original',
    taskQueue,
    args: [INPUT],
  })
  await original.result()
  await stranger.start('syncStore', 'copied', await stranger.inputOf('original'))
  expect(await stranger.endOf('copied')).toMatch(/MESSAGE_REFUSED: it was written for .*original/)
  expect(await stranger.activitiesOf('copied')).toEqual([])
})

test.each([
  ['audit', 'scheduled/sweep/downtown', { store: 'downtown' }],
  ['sendWhenDue', 'apply/PL-1/run-1', { plan: 'PL-1', run: 'run-1' }],
  ['backfillNights', 'sync/downtown/vendors/2026-03-10..2026-03-12', INPUT],
  ['syncStream', 'sync/downtown/vendors/2026-03-10..2026-03-12/store', INPUT],
])('a message of ours starts no %s under the id %s', async (type, workflowId, input) => {
  const { client, taskQueue } = running.worker
  await client.workflow.start(type, { workflowId, taskQueue, args: [input] })
  expect(await stranger.endOf(workflowId)).toContain(`a start of ${type} as ${workflowId}`)
  expect(await stranger.activitiesOf(workflowId)).toEqual([])
})

test('a result of somebody who took a task from our queue is not believed', async () => {
  const { client, taskQueue } = running.worker
  await control(running.sandbox, 'POST', 'faults', [
    { match: '/transactions', latencyMs: 3_600_000 },
  ])
  const handle = await client.workflow.start('syncStore', {
    workflowId: 'believing',
    taskQueue,
    args: [{ ...INPUT, to: '2026-03-13', streams: ['transactions'] }],
  })
  const child = 'sync/downtown/transactions/2026-03-10..2026-03-13'
  await waitFor(
    async () => (await stranger.open(child)).includes('syncWindow'),
    'the reading to be under way',
  )
  const forged = { status: 'proven', requests: 0, findings: [], counts: {} }
  await stranger.client.workflowService.respondActivityTaskCompletedById({
    ...(await stranger.activity(child, 'syncWindow')),
    result: {
      payloads: [
        {
          metadata: { encoding: Buffer.from('json/plain') },
          data: Buffer.from(JSON.stringify(forged)),
        },
      ],
    },
  })
  expect(await stranger.endOf(child)).toContain('MESSAGE_REFUSED')
  await handle.result().catch(() => {})
  const { ledger } = running.worker.dependencies.destination
  const windows = await ledger.windows('downtown', 'transactions')
  expect(windows.filter(({ status }) => status === 'proven')).toEqual([])
  await control(running.sandbox, 'DELETE', 'faults')
})

test('a signal, an update and a query of somebody else do nothing but stop what they are sent to', async () => {
  const { client, taskQueue } = running.worker
  await control(running.sandbox, 'POST', 'faults', [{ match: '/vendors', latencyMs: 3_600_000 }])
  const workflowId = 'addressed'
  const args = [{ ...INPUT, to: '2026-03-14' }]
  await client.workflow.start('syncStore', { workflowId, taskQueue, args })
  const theirs = stranger.client.workflow.getHandle(workflowId)
  await expect(theirs.executeUpdate('apply')).rejects.toMatchObject({
    cause: { message: expect.stringContaining('No registered handler') as string },
  })
  await theirs.signal('approve')
  await expect(theirs.query('secrets')).rejects.toThrow('did not register a handler')
  expect((await theirs.describe()).status.name).toBe('RUNNING')
  await theirs.signal('approve', { hash: 'h', person: 'me' })
  expect(await stranger.endOf(workflowId)).toContain('MESSAGE_REFUSED')
  await control(running.sandbox, 'DELETE', 'faults')
})

test('a schedule that somebody has written starts nothing, and apply makes it anew', async () => {
  const config = running.reconfigure({ schedules: { sweep: { every: 'weekly' } } })
  const apply = () => applySchedules(running.worker, config, () => {}, new AbortController().signal)
  await apply()
  const handle = stranger.client.schedule.getHandle('sweep/downtown')
  await handle.update(({ action, ...rest }) => ({
    ...rest,
    action: { ...action, args: [{ store: 'downtown', streams: ['vendors'], days: 1 }] },
  }))
  await handle.trigger()
  const runOf = async (): Promise<string | undefined> =>
    (await handle.describe()).info.recentActions.at(-1)?.action.workflow.workflowId
  await waitFor(async () => (await runOf()) !== undefined, 'the schedule to start its run')
  expect(await stranger.endOf((await runOf())!)).toContain('MESSAGE_REFUSED')
  const changes = await apply()
  expect(changes.find(({ id }) => id === 'sweep/downtown')).toMatchObject({ change: 'created' })
  await running.worker.client.schedule.getHandle('sweep/downtown').describe()
})
