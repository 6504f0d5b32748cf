import type { OperationState } from '../connectors/destination/outbound.ts'

/** Nothing was sent, or what was sent is known not to have been taken. */
export const NOT_SENT: ReadonlySet<OperationState> = new Set(['planned', 'failed'])

/** Those, and what is on its way: an apply goes on with them by itself. */
export const UNFINISHED: ReadonlySet<OperationState> = new Set([...NOT_SENT, 'submitted'])

/** Those, and what waits for a person: something may still come of them. */
export const UNSETTLED: ReadonlySet<OperationState> = new Set([...UNFINISHED, 'unknown'])
