import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { executeChild, ParentClosePolicy } from '@temporalio/workflow'
import type { Workflow, WorkflowResultType } from '@temporalio/workflow'
import { childFactsOf } from './child-facts.ts'
import { joinWorkflow, LONGEST_CHILD } from './proxies.ts'

/**
 * Runs a child, or waits for the same work where it is under way: its id is derived from the work.
 * A child is cancelled with its parent; work that somebody else started is not.
 */
export async function executeOrJoin<Child extends Workflow>(
  workflow: Child,
  workflowId: string,
  args: Parameters<Child>,
): Promise<WorkflowResultType<Child>> {
  try {
    return await executeChild<Workflow>(workflow, {
      workflowId,
      ...childFactsOf(workflowId),
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      workflowExecutionTimeout: LONGEST_CHILD,
      args,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
    return (await joinWorkflow({ workflowId })) as WorkflowResultType<Child>
  }
}
