import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, WorkflowNotFoundError } from '@temporalio/client'
import type { WorkflowClientInterceptor } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { approvePlan } from '../../push/approve.ts'
import { findPlan } from '../../push/find-plan.ts'
import { readInput } from '../../push/input/read-input.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import { runPush } from '../../temporal/run-push.ts'
import { updateWorkflow } from '../../temporal/update-workflow.ts'
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
const PLAN = { type: 'reconcilePlan', input: { plan: 'R', hash: 'h', approvers: [] } }

/** Whether a workflow was started under that id. */
const exists = (workflowId: string): Promise<boolean> =>
  running.worker.client.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      () => true,
      (error: unknown) => {
        expect(error).toBeInstanceOf(WorkflowNotFoundError)
        return false
      },
    )

it('Ctrl-C while the worker starts sends nothing, and no workflow is begun', async () => {
  const { worker } = running
  const stopped = { code: 'INTERRUPTED', remedy: expect.stringContaining('same command') as string }
  await expect(runPush(worker, 'PL-early', AbortSignal.abort())).rejects.toMatchObject(stopped)
  expect(await exists('push/PL-early')).toBe(false)
  const order = { ...PLAN, workflowId: 'reconcile/early', update: 'apply', argument: {} }
  await expect(updateWorkflow(worker, order, AbortSignal.abort())).rejects.toMatchObject(stopped)
  expect(await exists('reconcile/early')).toBe(false)
})

it('a plan that cannot be carried out fails with its code, its sentence and what to do', async () => {
  const { worker } = running
  await expect(runPush(worker, 'PL-none', LIVE)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('PL-none') as string,
    remedy: expect.any(String) as string,
  })
  expect(await exists('push/PL-none')).toBe(true)
})

it('who may approve is decided by the configuration of now, also while a plan is under way', async () => {
  const { worker } = running
  const approve = (more: object) => {
    const argument = { hash: 'h', person: 'added', at: new Date().toISOString(), ...more }
    const order = { ...PLAN, workflowId: 'reconcile/R', update: 'approve', argument }
    return updateWorkflow(worker, order, LIVE)
  }
  await expect(approve({})).rejects.toThrow('this person may not approve')
  // Asked further, down to the plan, which is not there.
  const further = approve({ approvers: ['added'] })
  await expect(further).rejects.not.toThrow('this person may not approve')
  await expect(approve({ approvers: [] })).rejects.toThrow('this person may not approve')
})

/** A plan of one record, approved; the API takes it when its faults are cleared. */
async function planHeld(product: string): Promise<string> {
  const { push } = running.worker
  const { id } = running.sandbox.stores[0]!
  const path = join(running.config.exports, '..', `${product}.csv`)
  writeFileSync(path, `external_id,description\n${product},held\n`)
  const order = {
    catalog: 'products',
    input: await readInput('products', path),
    stores: [id],
    create: [],
    deactivateMissing: false,
    cap: { count: 0, percent: false },
  } as const
  const plan = await makePlan({ ...push, say: () => {} }, order, LIVE)
  await approvePlan(push, await findPlan(push, plan), { by: 'Kim', guarded: [] })
  await control(running.sandbox, 'POST', 'faults', [{ method: 'PUT', latencyMs: 3_600_000 }])
  return plan
}

/** The request has arrived, and waits for its answer. */
const isHeld = async (): Promise<boolean> => {
  const { faults } = (await control(running.sandbox, 'GET', 'faults')) as {
    faults: { fired: number }[]
  }
  return faults[0]!.fired > 0
}

/** The same worker, and a client of the same server that is disturbed. */
function disturbed(interceptor: WorkflowClientInterceptor): Running['worker'] {
  const { worker } = running
  const { connection, options } = worker.client
  const { namespace } = options
  const client = new Client({ connection, namespace, interceptors: { workflow: [interceptor] } })
  return { ...worker, client }
}

/** Stops a push at its only write, and lets the write go on once the workflow has heard of it. */
async function stopHeld(
  plan: string,
  worker: Running['worker'],
  afterwards = async (): Promise<void> => {},
): Promise<void> {
  const stop = new AbortController()
  const pushed = runPush(worker, plan, stop.signal)
  pushed.catch(() => {})
  await waitFor(isHeld, 'the write')
  stop.abort()
  await waitForStop(running.worker.client, `push/${plan}`)
  await afterwards()
  await control(running.sandbox, 'DELETE', 'faults')
  await expect(pushed).rejects.toMatchObject({ code: 'INTERRUPTED' })
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
    async startUpdateWithStart(input, next) {
      const answer = await next(input)
      await answered.promise
      return answer
    },
  })
  await stopHeld(await planHeld('P-1002'), slow, async () => answered.resolve())
})
