import type { Priority } from '@temporalio/common'
import { workOfId } from './ids.ts'

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
