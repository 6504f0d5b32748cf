import type { Priority, SearchAttributePair } from '@temporalio/common'
import { workOfId } from './ids.ts'

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

/**
 * Which work goes first where more of it waits than workers take: what a person has decided is
 * written, what an event has told of is read, then nights and whatever else schedules start, which
 * have Temporal's middle, 3, then what may take its time. The scale is 1 to 5.
 */
const OF_KIND: Readonly<Record<string, number>> = {
  apply: 1,
  due: 1,
  deliver: 1,
  hints: 2,
  nightly: 3,
  nights: 5,
}
/** Somebody looks at it now, or has asked for a long range. */
const READ = { soon: 2, long: 5 }

/** Stores that wait at the same priority take turns, however much each of them has. */
export const priorityOf = (workflowId: string): Priority => {
  const { kind, day, isLatest } = workOfId(workflowId)
  const ofRead = day !== undefined || isLatest ? READ.soon : READ.long
  const ofKind = kind === 'sync' ? ofRead : OF_KIND[kind]
  return {
    ...(ofKind === undefined ? {} : { priorityKey: ofKind }),
    fairnessKey: fairnessKeyOf(workflowId),
  }
}

/** Empty where it is of no store. At most 64 bytes; ids of stores may be longer. */
export const fairnessKeyOf = (workflowId: string): string =>
  (workOfId(workflowId).store ?? '').slice(0, 64)

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
