import { WorkflowNotFoundError } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runPush } from '../../temporal/run-push.ts'
import { updateWorkflow } from '../../temporal/update-workflow.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

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
