import type { SearchAttributePair } from '@temporalio/common'
import { workOfId } from './ids.ts'

/** As the SDK's own function makes it, which those who start a server need not load. */
const keyword = (name: string) => ({ name, type: 'KEYWORD' }) as const

/**
 * By what Temporal finds our work: `TillageStore = "downtown" AND TillageKind = "sync"`. They say
 * what an id says, and nothing of records.
 */
export const SEARCH_KEYS = {
  store: keyword('TillageStore'),
  stream: keyword('TillageStream'),
  kind: keyword('TillageKind'),
  day: keyword('TillageDay'),
} as const

const NAMES = ['store', 'stream', 'kind', 'day'] as const

/** All names; a namespace has them, or somebody has to add them. */
export const SEARCH_ATTRIBUTES: readonly string[] = Object.values(SEARCH_KEYS).map(
  ({ name }) => name,
)

/** What a workflow of this id is found by. Pure. */
export function searchAttributesOf(workflowId: string): SearchAttributePair[] {
  const work = workOfId(workflowId)
  return NAMES.flatMap(name => {
    const value = work[name]
    return value === undefined ? [] : [{ key: SEARCH_KEYS[name], value }]
  })
}
