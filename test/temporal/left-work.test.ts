import { Client, WorkflowFailedError } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findStranded } from '../../temporal/find-stranded.ts'
import { awaitWorkflow } from '../../temporal/follow-workflow.ts'
import { openConnection } from '../../temporal/open-connection.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { applyId, syncStoreId } from '../../workflows/ids.ts'
import { startProject, storesOf, waitFor } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

const DAYS = ['--from', '2026-03-10', '--to', '2026-03-12'] as const
let client: Client
beforeAll(async () => {
  const { address, namespace } = await ownNamespace()
  client = new Client({ connection: await openConnection({ address }), namespace })
})
afterAll(() => client.connection.close())

const clientOf = (namespace: string): Client =>
  new Client({ connection: client.connection, namespace })
const WORK = { store: 'downtown', from: '2026-03-10', to: '2026-03-12' }

test('work whose id is taken on an unpolled queue is started again, and the other is ended with the reason', async () => {
  const { project, close } = await startProject({ stores: 1, days: 6 })
  try {
    const { namespace } = project.temporal as { namespace: string }
    const workflowId = syncStoreId(WORK, ['vendors'])
    const left = await clientOf(namespace).workflow.start('syncStore', {
      workflowId,
      taskQueue: 'tillage-of-before',
      args: [{ ...WORK, streams: ['vendors'] }],
    })
    expect(await project.run('sync', 'vendors', ...DAYS)).toMatchObject({ status: 0 })
    await expect(left.result()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('begun anew') as string },
    })
  } finally {
    await close()
  }
})

test('the queue is the same whatever the settings say of stores, and another after a restore', async () => {
  const { project, sandbox, close } = await startProject({ stores: 2, days: 2 })
  try {
    expect(await project.run('sync', 'vendors', '--store', 'downtown')).toMatchObject({ status: 0 })
    const idOf = (): unknown => project.query('SELECT id FROM database_identity')[0]
    const before = idOf()
    project.configure(storesOf(sandbox).slice(0, 1))
    expect(await project.run('sync', 'vendors')).toMatchObject({ status: 0 })
    expect(idOf()).toEqual(before)
    expect(await project.run('backup', 'copy.db')).toMatchObject({ status: 0 })
    expect(await project.run('restore', 'copy.db', '--replace')).toMatchObject({ status: 0 })
    expect(idOf()).not.toEqual(before)
  } finally {
    await close()
  }
})

test('work that no worker takes is told after 10 s, and one signal ends the waiting', async () => {
  const said: string[] = []
  const stop = new AbortController()
  const worker = {
    client,
    taskQueue: 'tillage-nobody',
    say: (line: string) => said.push(line),
    stopped: new Promise<void>(() => {}),
  } as unknown as RunningWorker
  const waiting = awaitWorkflow(
    worker,
    { type: 'syncStore', workflowId: 'nobody-takes-it', input: {} },
    stop.signal,
  ).catch((error: unknown) => error)
  await waitFor(() => said.length > 0, 'a word about the waiting')
  expect(said[0]).toMatch(/nobody-takes-it waits: .*no worker has taken.*tillage-nobody/)
  stop.abort()
  const ended = await waiting
  expect(ended).toBeInstanceOf(WorkflowFailedError)
  expect((ended as WorkflowFailedError).cause).toMatchObject({
    message: expect.stringContaining('no worker was there') as string,
  })
})

test('status says what has begun and has no worker, with 3, and nothing of it where a worker is up', async () => {
  const { project, close } = await startProject({ stores: 1, days: 2 })
  try {
    expect(await project.run('schedule', 'apply')).toMatchObject({ status: 0 })
    const [id] = project.query('SELECT id FROM database_identity') as [string][]
    const { namespace } = project.temporal as { namespace: string }
    const own = clientOf(namespace)
    const stranger = await own.workflow.start('syncStore', {
      workflowId: 'sync/downtown/vendors/latest/store',
      taskQueue: `tillage-${id![0]}`,
      args: [{ store: 'downtown', streams: ['vendors'] }],
    })
    const left = async (): Promise<string[]> =>
      (JSON.parse((await project.run('status', '--json')).stdout) as { stranded: string[] })
        .stranded
    await waitFor(async () => (await left()).length > 0, 'status to name what nobody goes on with')
    expect(await project.run('status')).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('has begun, and no worker continues it') as string,
    })
    const worker = project.start('worker')
    await waitFor(async () => (await left()).length === 0, 'a worker to take it')
    await expect(stranger.result()).rejects.toThrow()
    worker.kill('SIGTERM')
    expect((await worker.outcome).status).toBe(0)
  } finally {
    await close()
  }
})

test('what no worker goes on with is told, but for an apply, which is over with its process', async () => {
  const taskQueue = 'tillage-left'
  const [sync, apply] = [syncStoreId(WORK, ['vendors']), applyId('PL-1', 'apply-1')]
  await client.workflow.start('syncStore', { workflowId: sync, taskQueue })
  await client.workflow.start('applyPlan', { workflowId: apply, taskQueue })
  const standing = (): ReturnType<typeof findStranded> =>
    findStranded(client, { taskQueue, isAlone: false })
  await waitFor(async () => (await standing()).open.length === 2, 'both to be listed')
  expect((await standing()).stranded).toMatchObject([{ workflowId: sync }])
})
