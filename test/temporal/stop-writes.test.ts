import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApplicationFailure, asyncLocalStorage, CancelledFailure } from '@temporalio/activity'
import type { Context } from '@temporalio/activity'
import { Client } from '@temporalio/client'
import type { WorkflowClientInterceptor, WorkflowHandle } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyPlan } from '../../activities/apply-plan.ts'
import type { Writing } from '../../activities/apply-plan.ts'
import type { RoundResult } from '../../outbound/round.ts'
import { inRun } from '../../outbound/run.ts'
import { approvePush } from '../../push/approve.ts'
import { showPlan } from '../../push/document.ts'
import { readInput } from '../../push/input/read-input.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import { plansThatWait } from '../../push/waiting.ts'
import { runPlan } from '../../temporal/run-plan.ts'
import { applyId } from '../../workflows/ids.ts'
import { firedOf } from '../helpers/asked.ts'
import { control, waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'
import { waitForStop } from '../helpers/stopped.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning({ days: 1, transactionsPerDay: 1 })
})
afterAll(() => running.close())

const LIVE = new AbortController().signal

/** A run of a plan, as `push apply` does it. */
function apply(
  plan: string,
  signal: AbortSignal,
  worker: Running['worker'] = running.worker,
): Promise<RoundResult> {
  const { outbound, runner, now } = worker.push
  return inRun({ store: outbound, runner, now }, { plan, act: 'apply' }, run =>
    runPlan(worker, { plan, run }, signal),
  )
}

const runsOf = (plan: string) => running.worker.push.outbound.runs(plan)
const workflowOf = async (plan: string): Promise<string> =>
  applyId(plan, (await runsOf(plan)).at(-1)!.run)

it('Ctrl-C while the worker starts sends nothing, and no workflow is begun', async () => {
  const stopped = { code: 'INTERRUPTED', remedy: expect.stringContaining('same command') as string }
  await expect(apply('PL-early', AbortSignal.abort())).rejects.toMatchObject(stopped)
  const { workflow } = running.worker.client
  await expect(workflow.getHandle(await workflowOf('PL-early')).describe()).rejects.toThrow()
  expect(await runsOf('PL-early')).toMatchObject([{ outcome: 'stopped' }])
})

it('a plan that cannot be carried out fails with its code, its sentence and what to do', async () => {
  await expect(apply('PL-none', LIVE)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('PL-none') as string,
  })
  expect(await runsOf('PL-none')).toMatchObject([{ outcome: 'failed' }])
})

it('a plan that fails by what nobody foresaw says what that was, not that a workflow has failed', async () => {
  const { outbound } = running.worker.push
  const { plan } = outbound
  // As an activity gives up what it has met five times.
  outbound.plan = () => Promise.reject(ApplicationFailure.nonRetryable('x is not y', 'TypeError'))
  try {
    await expect(apply('PL-odd', LIVE)).rejects.toThrow('x is not y')
  } finally {
    outbound.plan = plan
  }
})

it('whoever starts a workflow brings no leave: an approved plan that nobody applies is not sent', async () => {
  const plan = await planOf('P-1010')
  const { client, taskQueue } = running.worker
  const start = (type: string, input: object): Promise<unknown> =>
    client.workflow.execute(type, { workflowId: `forged/${type}`, taskQueue, args: [input] })
  await expect(start('sendWhenDue', { plan })).rejects.toThrow()
  expect(await runsOf(plan)).toEqual([])
})

/** A plan of one record, or of those of a file, approved. */
async function planOf(
  product: string,
  rows = `external_id,description\n${product},held\n`,
): Promise<string> {
  const { push } = running.worker
  const { id } = running.sandbox.stores[0]!
  const path = join(running.config.exports, '..', `${product}.csv`)
  writeFileSync(path, rows)
  const order = {
    catalog: 'products',
    input: await readInput('products', path),
    stores: [id],
    create: [],
    deactivateMissing: false,
    cap: { count: 0, percent: false },
  } as const
  const plan = await makePlan({ ...push, say: () => {} }, order, LIVE)
  await approvePush(push, plan, { by: 'Kim', origin: 'kim@till-1', guarded: [] })
  return plan
}

/** The API takes it when its faults are cleared. */
async function planHeld(product: string, rows?: string): Promise<string> {
  const plan = await planOf(product, rows)
  await control(running.sandbox, 'POST', 'faults', [{ method: 'PUT', latencyMs: 3_600_000 }])
  return plan
}

/** The request has arrived, and waits for its answer. */
const isHeld = async (): Promise<boolean> => (await firedOf(running.sandbox))[0]! > 0

/** The same worker, and a client of the same server that is disturbed. */
function disturbed(interceptor: WorkflowClientInterceptor): Running['worker'] {
  const { worker } = running
  const { connection, options } = worker.client
  const { namespace, loadedDataConverter } = options
  const { payloadCodecs } = loadedDataConverter
  const interceptors = { workflow: [interceptor] }
  const client = new Client({
    connection,
    namespace,
    interceptors,
    dataConverter: { payloadCodecs },
  })
  return { ...worker, client }
}

/** Stops a push at its only write, and lets the write go on once the workflow has heard of it. */
async function stopHeld(
  plan: string,
  worker: Running['worker'],
  afterwards = async (): Promise<void> => {},
): Promise<void> {
  const stop = new AbortController()
  const pushed = apply(plan, stop.signal, worker)
  pushed.catch(() => {})
  await waitFor(isHeld, 'the write')
  stop.abort()
  await waitForStop(running.worker.client, await workflowOf(plan))
  await afterwards()
  await control(running.sandbox, 'DELETE', 'faults')
  await expect(pushed).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(await runsOf(plan)).toMatchObject([{ outcome: 'stopped' }])
}

it('Ctrl-C is told to a workflow again where the server did not take it', async () => {
  let refused = 0
  const busy = disturbed({
    cancel(input, next) {
      if (refused === 2) return next(input)
      refused++
      return Promise.reject(new Error('context deadline exceeded'))
    },
  })
  await stopHeld(await planHeld('P-1001'), busy)
  expect(refused).toBe(2)
})

it('Ctrl-C stops a workflow that writes while the answer to its start is still on the way', async () => {
  const answered = Promise.withResolvers<void>()
  const slow = disturbed({
    async start(input, next) {
      const answer = await next(input)
      await answered.promise
      return answer
    },
  })
  await stopHeld(await planHeld('P-1002'), slow, async () => answered.resolve())
})

it('two processes do not carry out one plan at once: the second is told who has it', async () => {
  const plan = await planHeld('P-1003')
  const first = apply(plan, LIVE)
  await waitFor(isHeld, 'the write')
  await expect(apply(plan, LIVE)).rejects.toMatchObject({
    code: 'PLAN_BUSY',
    message: expect.stringContaining(`process ${process.pid}`) as string,
  })
  await control(running.sandbox, 'DELETE', 'faults')
  expect(await first).toMatchObject({ done: 1 })
  expect(await runsOf(plan)).toMatchObject([{ outcome: 'done' }])
})

/** A row that is sent now, and one for a later time. */
const inTwoSteps = (now: string, later: string): string =>
  `external_id,description,effective_at\n${now},held,\n${later},held,2099-01-01T06:00\n`
const IN_2099 = Date.parse('2099-01-02T00:00:00.000Z')

it.each([
  ['cancelled', ['P-1031', 'P-1032'], (handle: WorkflowHandle) => handle.cancel()],
  ['terminated', ['P-1033', 'P-1034'], (handle: WorkflowHandle) => handle.terminate('by hand')],
] as const)(
  'an apply whose workflow is %s in Temporal is over, says so, and its later rows wait for a person',
  async (what, [now, later], end) => {
    const { push, client } = running.worker
    const plan = await planHeld(now, inTwoSteps(now, later))
    const applied = apply(plan, LIVE)
    applied.catch(() => {})
    await waitFor(isHeld, 'the write')
    const handle = client.workflow.getHandle(await workflowOf(plan))
    await end(handle)
    if (what === 'cancelled') await waitForStop(client, handle.workflowId)
    await control(running.sandbox, 'DELETE', 'faults')
    await expect(applied).rejects.toMatchObject({ code: 'INTERRUPTED' })
    expect(await runsOf(plan)).toMatchObject([{ outcome: 'stopped' }])
    expect(await showPlan(push, plan)).toMatchObject({ interrupted: { of: 2 } })
    expect(await plansThatWait(push)).not.toContain(plan)
  },
)

it.each([
  { why: 'cancelled', reason: 'CANCELLED', records: ['P-1041', 'P-1042'], isOver: true },
  { why: 'terminated', reason: 'NOT_FOUND', records: ['P-1043', 'P-1044'], isOver: true },
  { why: 'taken for gone', reason: 'NOT_FOUND', records: ['P-1045', 'P-1046'], isOver: false },
  {
    why: 'left by their worker',
    reason: 'WORKER_SHUTDOWN',
    records: ['P-1047', 'P-1048'],
    isOver: false,
  },
] as const)(
  'due rows that are $why wait for a person: $isOver',
  async ({ reason, records: [now, later], isOver, why }) => {
    const { push, client } = running.worker
    const plan = await planOf(now, inTwoSteps(now, later))
    await apply(plan, LIVE)
    const start = { workflowId: `due/${plan}`, taskQueue: 'nobody', args: [{ plan }] }
    const workflow = await client.workflow.start('sendWhenDue', start)
    if (why === 'terminated') await workflow.terminate('by hand')
    await control(running.sandbox, 'POST', 'faults', [{ method: 'PUT', latencyMs: 3_600_000 }])
    const stop = new AbortController()
    const info = { workflowExecution: { workflowId: workflow.workflowId } }
    const context = { info, client } as unknown as Context
    const writing = { push: { ...push, now: () => IN_2099 } } as unknown as Writing
    const due = asyncLocalStorage.run(context, () => applyPlan(writing, { plan }, stop.signal))
    due.catch(() => {})
    await waitFor(isHeld, 'the write')
    stop.abort(new CancelledFailure(reason))
    await control(running.sandbox, 'DELETE', 'faults')
    await expect(due).rejects.toMatchObject(isOver ? { code: 'INTERRUPTED' } : { message: reason })
    const outcome = isOver ? 'stopped' : 'failed'
    expect(await runsOf(plan)).toMatchObject([{ outcome: 'done' }, { act: 'due', outcome }])
    const again = applyPlan(writing, { plan }, LIVE)
    if (isOver) await expect(again).rejects.toMatchObject({ code: 'PLAN_INTERRUPTED' })
    else expect(await again).toMatchObject({ nextDueAt: null })
  },
)
