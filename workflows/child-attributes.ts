import type { SearchAttributePair } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import { SEARCH_KEYS, searchAttributesOf } from './search-attributes.ts'

/**
 * What a child is found by: only where its parent is, since a workflow cannot ask whether the
 * namespace has such attributes, and a history without them must replay.
 */
export function childAttributes(workflowId: string): {
  typedSearchAttributes?: SearchAttributePair[]
} {
  const { typedSearchAttributes: own } = workflowInfo()
  return own.get(SEARCH_KEYS.kind) === undefined
    ? {}
    : { typedSearchAttributes: searchAttributesOf(workflowId) }
}
