import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { ParentClosePolicy, executeChild, workflowInfo } from '@temporalio/workflow'
import type { Workflow, WorkflowResultType } from '@temporalio/workflow'
import { LONGEST_CHILD, joinWorkflow } from './proxies.ts'
import { SEARCH_KEYS, fairnessKeyOf, searchAttributesOf } from './start-facts.ts'
import type { StartFacts } from './start-facts.ts'

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

/**
 * Of a child, which is as urgent as its parent; stores take turns. It is found by its attributes
 * only where its parent is, since a workflow cannot ask whether the namespace has them, and a
 * history without them must replay.
 */
export function childFactsOf(workflowId: string): StartFacts {
  const { typedSearchAttributes: own } = workflowInfo()
  return {
    priority: { fairnessKey: fairnessKeyOf(workflowId) },
    ...(own.get(SEARCH_KEYS.kind) === undefined
      ? {}
      : { typedSearchAttributes: searchAttributesOf(workflowId) }),
  }
}
