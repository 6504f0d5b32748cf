import { workflowInfo } from '@temporalio/workflow'
import { fairnessKeyOf } from './priorities.ts'
import { SEARCH_KEYS, searchAttributesOf } from './search-attributes.ts'
import type { StartFacts } from './start-facts.ts'

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
