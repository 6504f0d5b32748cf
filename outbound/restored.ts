import type {
  OperationState,
  OutboundEvent,
  OutboundOperation,
} from '../connectors/destination/outbound.ts'
import { RESTORED } from '../connectors/destination/outbound.ts'
import { UNFINISHED } from './operation-states.ts'
import { confirm, searchPatiently } from './search.ts'
import type { Sending } from './sending.ts'

/**
 * When the database of a plan was restored from a backup last, or taken over by a standby, epoch
 * milliseconds.
 */
export function restoredMsOf(events: readonly OutboundEvent[]): number | undefined {
  const last = events.findLast(({ event }) => event === RESTORED)
  return last === undefined ? undefined : Date.parse(last.at)
}

/**
 * Whether an operation stands as it stood when its database was restored: what the backup does not
 * know of may have been sent.
 */
export const mayBeSentElsewhere = (
  { state, changedAt }: Pick<OutboundOperation, 'state' | 'changedAt'>,
  restoredMs: number | undefined,
): boolean =>
  restoredMs !== undefined && UNFINISHED.has(state) && !(Date.parse(changedAt) > restoredMs)

/** Why nobody can say of an operation whether it was ours. */
export const PERHAPS_OURS =
  'the database was restored, or a standby took it over: it may have been sent before that, or by ' +
  'somebody else'

/**
 * Whether an operation was looked at since its database was restored, and was as planned already.
 */
export const isPerhapsOurs = (
  { state, changedAt }: Pick<OutboundOperation, 'state' | 'changedAt'>,
  restoredMs: number | undefined,
): boolean =>
  restoredMs !== undefined && state === 'unchanged' && Date.parse(changedAt) > restoredMs

/** Searches with patience for what another copy of the database may have sent; never sends. */
export async function searchRestored(
  sending: Sending,
  operation: OutboundOperation,
): Promise<OperationState> {
  const { restoredMs } = sending
  if (!mayBeSentElsewhere(operation, restoredMs)) return operation.state
  const found = await searchPatiently(sending, restoredMs!)
  return found.kind === 'found'
    ? confirm(sending, operation, found.facts, 'another copy of this database has sent it')
    : operation.state
}
