import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import { loadConfig } from '../../config.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import type { Connected } from '../../temporal/session.ts'
import { connect } from '../../worker.ts'
import { syncStoreId, syncStreamId } from '../../workflows/ids.ts'
import { control, Project, startWorker, storesOf, waitFor } from '../helpers/project.ts'
import type { Worker } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

const HELD = { match: '/transactions', latencyMs: HOUR_MS }
const DEPLOYMENT = 'tillage'

let sandbox: Sandbox
/** The same database and Temporal, with two releases of the program. */
let [older, newer]: [Project?, Project?] = []
/** Gives work, and takes none. */
let office: Connected
/** A worker of each release: one that has come up stays until the last test ends it. */
let [one, two]: [Worker?, Worker?] = []

beforeAll(async () => {
  sandbox = await startSandbox({ stores: 1, days: 12, until: '2026-03-15' })
  const temporal = await ownNamespace()
  ;[older, newer] = [new Project(temporal), new Project(temporal)]
  const database = join(older.folder, 'tillage-data', 'tillage.db')
  for (const [project, buildId] of [
    [older, '1.0'],
    [newer, '1.1'],
  ] as const)
    project.configure(storesOf(sandbox), {
      database,
      schedules: { nightly: { export: ['transactions'], formats: ['csv'] } },
      temporal: { ...temporal, deployment: { name: DEPLOYMENT, buildId } },
    })
  office = await connect(loadConfig(join(older.folder, 'tillage.yaml')), () => {})
  one = await startWorker(older)
})
afterEach(() => control(sandbox, 'DELETE', 'faults'))
afterAll(async () => {
  await office.close()
  await older!.remove()
  await newer!.remove()
  await sandbox.close()
})

/** Starts to read a day, whichever release does it. */
async function read(day: string) {
  const work = { store: 'downtown', from: day, to: `${day.slice(0, 8)}${Number(day.slice(8)) + 1}` }
  const streams = ['transactions']
  const { client, taskQueue } = office
  const handle = await client.workflow.start('syncStore', {
    taskQueue,
    workflowId: syncStoreId(work, streams),
    args: [{ ...work, streams }],
  })
  return { handle, stream: client.workflow.getHandle(syncStreamId(work, 'transactions')) }
}

type Reading = Awaited<ReturnType<typeof read>>

/** Which release has a window of it under way. */
async function untilHeldBy({ stream }: Reading, release: string): Promise<void> {
  await waitFor(async () => {
    const described = await stream.describe().catch(() => undefined)
    const pinnedTo = described?.raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion
    const isUnderWay = (described?.raw.pendingActivities?.length ?? 0) > 0
    return isUnderWay && pinnedTo?.buildId === release
  }, `release ${release} to read`)
}

/** The releases that took steps of it. */
async function releasesOf({ stream }: Pick<Reading, 'stream'>): Promise<string[]> {
  const { events } = await stream.fetchHistory()
  const steps = (events ?? []).flatMap(event => {
    const step = event.workflowTaskCompletedEventAttributes
    return step ? [step.deploymentVersion?.buildId ?? step.workerVersion?.buildId ?? ''] : []
  })
  return [...new Set(steps)]
}

interface Listed {
  thisRelease: string
  releases: { buildId: string; isCurrent: boolean; pinned: number }[]
}

async function releases(...args: string[]): Promise<Listed> {
  const { status, stdout, stderr } = await newer!.run('worker', ...args, '--json')
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as Listed
}

async function end(worker: Worker): Promise<void> {
  worker.kill('SIGTERM')
  expect((await worker.outcome).status).toBe(0)
}

it('what an older release has begun it ends; new work goes to the newer one once somebody says so', async () => {
  await control(sandbox, 'POST', 'faults', [HELD])
  const first = await read('2026-03-10')
  await untilHeldBy(first, '1.0')
  two = await startWorker(newer!)
  const second = await read('2026-03-11')
  await untilHeldBy(second, '1.0')
  const before = await releases('releases')
  expect(before.thisRelease).toBe('1.1')
  expect(before.releases).toMatchObject([
    { buildId: '1.1', isCurrent: false, pinned: 0 },
    { buildId: '1.0', isCurrent: true, pinned: 4 },
  ])
  const promoted = await releases('promote')
  expect(promoted.releases.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
  const third = await read('2026-03-12')
  await untilHeldBy(third, '1.1')
  await control(sandbox, 'DELETE', 'faults')
  for (const { handle } of [first, second, third]) await handle.result()
  const took = await Promise.all([first, second, third].map(releasesOf))
  expect(took).toEqual([['1.0'], ['1.0'], ['1.1']])
})

it('a night goes on under the release that somebody promoted meanwhile', async () => {
  await releases('promote', '1.0')
  await control(sandbox, 'POST', 'faults', [HELD])
  const { client, taskQueue } = office
  const night = await client.workflow.start('nightly', {
    taskQueue,
    workflowId: 'nightly/downtown/2026-03-09',
    args: [{ store: 'downtown', day: '2026-03-09' }],
  })
  await waitFor(async () => {
    const { raw } = await night.describe()
    return (raw.pendingChildren?.length ?? 0) > 0
  }, 'the night to read')
  await releases('promote')
  await control(sandbox, 'DELETE', 'faults')
  await night.result()
  expect(await releasesOf({ stream: night })).toEqual(['1.0', '1.1'])
})

it('work of a release that has no worker any more waits, until it is moved to the current one', async () => {
  expect((await newer!.run('worker', 'promote', '1.0')).status).toBe(0)
  await control(sandbox, 'POST', 'faults', [HELD])
  const left = await read('2026-03-13')
  await untilHeldBy(left, '1.0')
  await releases('promote')
  await end(one!)
  await control(sandbox, 'DELETE', 'faults')
  const moved = await newer!.run('worker', 'move', '1.0', '--json')
  expect((JSON.parse(moved.stdout) as { moved: string[] }).moved).toHaveLength(2)
  await left.handle.result()
  expect(await releasesOf(left)).toContain('1.1')
  await end(two!)
})

it('a release of which no worker was ever up gets no work', async () => {
  const { status, stderr } = await newer!.run('worker', 'promote', '2.0')
  expect(status).toBe(2)
  expect(stderr).toContain('no worker has said yet that it is release 2.0')
})
