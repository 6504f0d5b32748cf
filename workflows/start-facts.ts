import type { Priority, SearchAttributePair } from '@temporalio/common'
import { priorityOf } from './priorities.ts'
import { searchAttributesOf } from './search-attributes.ts'

/** What Temporal is told of work beside its id: whether it goes first, and by what it is found. */
export interface StartFacts {
  priority: Priority
  /** Where the namespace has them: elsewhere such a start is refused. */
  typedSearchAttributes?: SearchAttributePair[]
}

/** Of each start, by a command or by a schedule. Pure. */
export const startFactsOf = (workflowId: string, hasSearchAttributes: boolean): StartFacts => ({
  priority: priorityOf(workflowId),
  ...(hasSearchAttributes ? { typedSearchAttributes: searchAttributesOf(workflowId) } : {}),
})
