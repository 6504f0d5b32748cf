import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fromIso } from '../../calendar/days.ts'
import { inRun } from '../../outbound/run.ts'
import { approvePush } from '../../push/approve.ts'
import { readInput } from '../../push/input/read-input.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import type { ScheduleChange } from '../../schedules/apply-schedules.ts'
import { runPlan } from '../../temporal/run-plan.ts'
import { applyId, syncStoreId, syncStreamId, writesQueue } from '../../workflows/ids.ts'
import type { StreamResult } from '../../workflows/results.ts'
import { writesTo } from '../helpers/asked.ts'
import { control, startProject, storesOf, waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'
import type { TemporalNamespace } from '../helpers/temporal.ts'
import { Stranger } from './stranger.ts'

/**
 * What whoever reaches the server without the key can do: the list of `docs/security.md`, line by
 * line. `forged-messages.test.ts` has what they cannot.
 */
let running: Running
let stranger: Stranger
beforeAll(async () => {
  running = await startRunning({ days: 12 }, { schedules: { sweep: { every: 'weekly', days: 1 } } })
  stranger = new Stranger(running.worker)
})
afterAll(() => running.close())
afterEach(() => control(running.sandbox, 'DELETE', 'faults'))

const SIGNAL = new AbortController().signal
const STREAM = 'transactions'
/** `COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION` of Temporal's API. */
const COMPLETE_WORKFLOW_EXECUTION = 4

/** The sync of one day, proven or not, as a command starts it. */
function dayOf(from: string) {
  const to = new Date(Date.parse(from) + 86_400_000).toISOString().slice(0, 10)
  const work = { store: 'downtown', from, to, again: true }
  const ids = { workflowId: syncStoreId(work, [STREAM]), child: syncStreamId(work, STREAM) }
  const start = () =>
    running.worker.client.workflow.start('syncStore', {
      workflowId: ids.workflowId,
      taskQueue: running.worker.taskQueue,
      args: [{ ...work, streams: [STREAM] }],
    })
  return { ...ids, start, proven: () => provenOn(from) }
}

/** Of how many windows of a day the ledger says that they are proven. */
async function provenOn(day: string): Promise<number> {
  const at = fromIso(`${day}T20:00:00Z`)
  const windows = await running.worker.dependencies.destination.ledger.windows('downtown', STREAM)
  const holds = windows.filter(({ startMs, endMs }) => startMs <= at && at < endMs)
  return holds.filter(({ status }) => status === 'proven').length
}

/** A sync whose reading is under way, and does not come to an end. */
async function held(from: string) {
  const day = dayOf(from)
  await control(running.sandbox, 'POST', 'faults', [{ match: STREAM, latencyMs: 3_600_000 }])
  const handle = await day.start()
  await waitFor(
    async () => (await stranger.open(day.child)).includes('syncWindow'),
    'the reading to be under way',
  )
  return { ...day, handle }
}

/** How many records were written to the API so far. */
const writes = async (): Promise<number> => (await writesTo(running.sandbox)).length

describe('read', () => {
  test('a history says which store, days, stream and counts, and no key, record or person', async () => {
    const { workflowId, child, start } = dayOf('2026-03-05')
    await (await start()).result()
    const said = `${await stranger.read(workflowId)}${await stranger.read(child)}`
    for (const word of ['"status":"proven"', '"store":"downtown"', '"fetched"', '2026-03-05'])
      expect(said).toContain(word)
    const { partnerKey, stores } = running.sandbox
    const rows = (await control(
      running.sandbox,
      'GET',
      `records?store=downtown&stream=${STREAM}`,
    )) as { id: string }[]
    const words = [partnerKey, stores[0]!.developerKey, ...rows.map(({ id }) => id)]
    expect(words.length).toBeGreaterThan(10)
    for (const word of words) expect(said).not.toContain(word)
  })

  test('with encrypt the messages cannot be read, and ids, names and words of failures can', async () => {
    const { project, sandbox, close } = await startProject({ stores: 1, days: 4 })
    try {
      const temporal = project.temporal as TemporalNamespace
      project.configure(storesOf(sandbox), { temporal: { ...temporal, encrypt: true } })
      const days = ['--from', '2026-03-13', '--to', '2026-03-14']
      expect((await project.run('sync', 'vendors', ...days)).status).toBe(0)
      const { client } = running.worker
      const options = { ...client.options, namespace: temporal.namespace }
      const there = new Stranger({ client: { ...client, options } as typeof client, taskQueue: '' })
      const id = 'sync/downtown/vendors/2026-03-13..2026-03-14'
      const said = `${await there.read(`${id}/store`)}${await there.read(id)}`
      for (const word of ['"name":"syncWindow"', `"workflowId":"${id}"`])
        expect(said).toContain(word)
      for (const word of ['"status":"proven"', '"store":"downtown"', '"fetched"'])
        expect(said).not.toContain(word)
    } finally {
      await close()
    }
  })
})

describe('stop', () => {
  test.each([
    [
      'terminates',
      '2026-03-06',
      (id: string) => stranger.client.workflow.getHandle(id).terminate(),
    ],
    ['cancels', '2026-03-07', (id: string) => stranger.client.workflow.getHandle(id).cancel()],
    [
      'deletes',
      '2026-03-08',
      (workflowId: string) =>
        stranger.client.workflowService.deleteWorkflowExecution({
          namespace: stranger.namespace,
          workflowExecution: { workflowId },
        }),
    ],
  ])(
    'what somebody %s proves nothing, and the next run reads what is missing',
    async (_does, from, stop) => {
      const { handle, workflowId, child, proven, start } = await held(from)
      await stop(child)
      await stop(workflowId)
      await expect(handle.result()).rejects.toThrow()
      expect(await proven()).toBe(0)
      await control(running.sandbox, 'DELETE', 'faults')
      await waitFor(async () => {
        const read = start().then(begun => begun.result())
        await read.catch(() => {})
        return (await proven()) > 0
      }, 'the next run to read the day')
    },
  )

  const apply = async (): Promise<ScheduleChange['change'] | undefined> => {
    const changes = await applySchedules(running.worker, running.config, () => {}, SIGNAL)
    return changes.find(({ id }) => id === 'sweep/downtown')?.change
  }
  const kept = async () =>
    (await running.worker.dependencies.destination.schedules.all()).find(
      ({ id }) => id === 'sweep/downtown',
    )

  test('a schedule that somebody deletes is made anew by apply', async () => {
    await apply()
    await stranger.client.schedule.getHandle('sweep/downtown').delete()
    expect(await apply()).toBe('created')
    expect(await apply()).toBe('unchanged')
  })

  test('a schedule that somebody pauses stays paused, which apply writes down for status', async () => {
    await apply()
    const handle = stranger.client.schedule.getHandle('sweep/downtown')
    await handle.pause('by somebody')
    expect(await apply()).toBe('unchanged')
    expect((await handle.describe()).state.paused).toBe(true)
    expect(await kept()).toMatchObject({ pausedAt: expect.any(String) as string })
    await handle.unpause()
    await apply()
    expect(await kept()).toMatchObject({ pausedAt: undefined })
  })
})

describe('delay', () => {
  test('a failure in own words ends a reading, and the words stand as its reason', async () => {
    const { child, handle, proven } = await held('2026-03-09')
    await stranger.client.workflowService.respondActivityTaskFailedById({
      ...(await stranger.activity(child, 'syncWindow')),
      failure: {
        message: 'the shop has burnt down',
        applicationFailureInfo: { type: 'THEIR_CODE', nonRetryable: true },
      },
    })
    await handle.result()
    expect(await proven()).toBe(0)
    const { ledger } = running.worker.dependencies.destination
    const windows = await ledger.windows('downtown', STREAM)
    expect(JSON.stringify(windows)).toContain('the shop has burnt down')
  })

  test('work that somebody takes from a queue and does not do is given out again after ten seconds', async () => {
    const { client, taskQueue } = running.worker
    const order = { plan: 'PL-1', run: 'run-1' }
    const workflowId = applyId(order.plan, order.run)
    const handle = await client.workflow.start('applyPlan', {
      workflowId,
      taskQueue,
      args: [order],
    })
    const take = () => stranger.takeActivity(writesQueue(taskQueue, order.run))
    const first = await take()
    expect(Buffer.from(first.input!.payloads![0]!.data!).toString()).toBe(JSON.stringify(order))
    expect((await take()).attempt).toBe(2)
    await handle.terminate()
  })

  test('whoever takes the task of a workflow can end it with what an earlier run of it came to', async () => {
    const { workflowId, start } = dayOf('2026-03-12')
    const before = await (await start()).result()
    const { ledger } = running.worker.dependencies.destination
    const known = await ledger.windows('downtown', STREAM)
    const result = await stranger.endingOf(workflowId)
    // On our queue they have to be there first.
    const taskQueue = 'a queue that they alone poll'
    const args = [{ store: 'downtown', streams: [STREAM] }]
    const { workflow } = running.worker.client
    await workflow.start('syncStore', { workflowId, taskQueue, args })
    const { taskToken } = await stranger.takeWorkflowTask(taskQueue)
    await stranger.client.workflowService.respondWorkflowTaskCompleted({
      namespace: stranger.namespace,
      taskToken,
      commands: [
        {
          // The client's package does not export the enum.
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
          commandType: COMPLETE_WORKFLOW_EXECUTION,
          completeWorkflowExecutionCommandAttributes: { result },
        },
      ],
    })
    expect(await workflow.getHandle(workflowId).result()).toEqual(before)
    expect(await ledger.windows('downtown', STREAM)).toEqual(known)
  })
})

describe('start what was due anyway', () => {
  test('a copied start of the same id reads the same range again, and nothing else', async () => {
    const { workflowId, child, start, proven } = dayOf('2026-03-10')
    await (await start()).result()
    const did = await stranger.activitiesOf(child)
    await stranger.start('syncStore', workflowId, await stranger.inputOf(workflowId))
    await stranger.client.workflow.getHandle(workflowId).result()
    expect(await stranger.read(child)).toContain('2026-03-10')
    expect(did).toContain('syncWindow')
    expect(await proven()).toBe(1)
  })

  test('a copied start of an apply sends nothing of what was approved since', async () => {
    const push = { ...running.worker.push, say: () => {} }
    const path = join(dirname(running.config.database), 'catalog.csv')
    writeFileSync(path, 'external_id,description,unit_price\nP-1001,words,\nP-1002,,0.01\n')
    const input = await readInput('products', path)
    const cap = { count: 0, percent: false }
    const order = { catalog: 'products' as const, input, stores: ['downtown'], create: [], cap }
    const plan = await makePlan(push, { ...order, deactivateMissing: false }, SIGNAL)
    const approve = (guarded: string[]) =>
      approvePush(push, plan, { by: 'Kim', origin: 'kim@till-1', guarded })
    await approve([])
    const place = { store: push.outbound, runner: push.runner, now: push.now }
    const run = await inRun(place, { plan, act: 'apply' }, async begun => {
      await runPlan(running.worker, { plan, run: begun }, SIGNAL)
      return begun
    })
    expect(await writes()).toBe(1)
    await approve(['P-1002'])
    const id = applyId(plan, run)
    await stranger.start('applyPlan', id, await stranger.inputOf(id))
    expect(await stranger.endOf(id)).toContain('PLAN_INTERRUPTED')
    expect(await writes()).toBe(1)
  })

  test('a schedule of ours that somebody triggers does what tillage.yaml says', async () => {
    await applySchedules(running.worker, running.config, () => {}, SIGNAL)
    const handle = stranger.client.schedule.getHandle('sweep/downtown')
    await handle.trigger()
    const runOf = async (): Promise<string | undefined> =>
      (await handle.describe()).info.recentActions.at(-1)?.action.workflow.workflowId
    await waitFor(async () => (await runOf()) !== undefined, 'the schedule to start its run')
    const id = (await runOf())!
    await stranger.client.workflow.getHandle(id).result()
    expect(await stranger.activitiesOf(id)).toContain('findSweepOrder')
  })

  test('a copied start cannot say that it was due at a time that has not come', async () => {
    const { client, taskQueue, dependencies } = running.worker
    const workflowId = 'scheduled/sweep/downtown'
    const args = [{ store: 'downtown' }]
    await (await client.workflow.start('sweep', { workflowId, taskQueue, args })).result()
    const due = JSON.stringify('2098-05-06T10:00:00Z')
    await stranger.start('sweep', workflowId, await stranger.inputOf(workflowId), {
      searchAttributes: {
        indexedFields: {
          TemporalScheduledStartTime: {
            metadata: {
              encoding: Buffer.from('json/plain'),
              type: Buffer.from('Datetime'),
            },
            data: Buffer.from(due),
          },
        },
      },
    })
    await stranger.client.workflow.getHandle(workflowId).result()
    const runs = await dependencies.destination.runs.newest('sweep', 'downtown', 9)
    expect(runs.length).toBeGreaterThan(0)
    expect(runs.filter(({ day }) => day.startsWith('2098'))).toEqual([])
  })
})

test('an answer that was copied out of an earlier run of the same work is not believed', async () => {
  const { child, start, proven } = dayOf('2026-03-11')
  await (await start()).result()
  expect(await proven()).toBe(1)
  const answer = await stranger.resultOf(child, 'syncWindow')
  const again = await held('2026-03-11')
  await stranger.client.workflowService.respondActivityTaskCompletedById({
    ...(await stranger.activity(child, 'syncWindow')),
    result: answer,
  })
  await again.handle.result()
  const read = (await running.worker.client.workflow.getHandle(child).result()) as StreamResult
  expect(read.windows).toEqual({ proven: 0, unproven: 1 })
  expect(read.findings).toEqual([`downtown/${STREAM}/MESSAGE_REFUSED`])
})
