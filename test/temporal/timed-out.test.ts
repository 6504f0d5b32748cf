import { ActivityFailure, TimeoutFailure, WorkflowFailedError } from '@temporalio/client'
import { expect, it } from 'vitest'
import { explainWorkflow } from '../../temporal/follow-workflow.ts'
import { failureOf } from '../../workflows/failures.ts'

/** What Temporal says of an activity whose heartbeats stopped. */
const silent = new ActivityFailure(
  'Activity task timed out',
  'applyPlan',
  '1',
  'MAXIMUM_ATTEMPTS_REACHED',
  'tillage',
  new TimeoutFailure('activity Heartbeat timeout', undefined, 'HEARTBEAT'),
)

it('a step that Temporal gave up has a code, a sentence and what to do', () => {
  const failed = new WorkflowFailedError(
    'Workflow execution failed',
    silent,
    'MAXIMUM_ATTEMPTS_REACHED',
  )
  const { failure } = explainWorkflow(failed)
  expect(failure).toMatchObject({
    code: 'WORK_TIMED_OUT',
    message: 'a step of the work did not report in time (heartbeat)',
    remedy: expect.stringContaining('run the same command again') as string,
  })
  expect(failureOf(silent)).toEqual(failure)
})
