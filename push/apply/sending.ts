import type { OutboundOperation } from '../../connectors/destination/outbound.ts'
import { permittedSending } from '../../outbound/permit.ts'
import { mayBeSentElsewhere } from '../../outbound/restored.ts'
import type { Sending } from '../../outbound/sending.ts'
import type { RememberedPlan } from '../load-plan.ts'
import type { Operation } from '../operation.ts'
import type { Push } from '../push.ts'
import type { StoreRun } from './store-run.ts'
import { CREATION_RULES, writeCreation } from './write-creation.ts'
import { UPDATE_RULES, writeUpdate } from './write-update.ts'

/** One run of a plan. */
export interface PlanRun {
  push: Push
  remembered: RememberedPlan
  run: string
  /** Ends what it waits for: a pause that the API asked for may take an hour. */
  signal: AbortSignal
}

/** How an operation of a push goes out, and is found. */
export function sendingOf(
  { push, remembered, run, signal }: PlanRun,
  store: StoreRun,
  planned: Operation,
  operation: OutboundOperation,
): Sending {
  const { outbound, now } = push
  const sleep = (ms: number): Promise<void> => push.sleep(ms, signal)
  const about = { op: planned.id, writesTo: store.id }
  const permitted = permittedSending({ store: outbound, now, sleep }, { ...remembered, run }, about)
  return {
    ...permitted,
    isOver: () => store.failure() !== undefined,
    ...(planned.op === 'create'
      ? {
          write: writeCreation(store, planned, {
            wasSent: wasSent(operation),
            mayBeElsewhere: mayBeSentElsewhere(operation, permitted.restoredMs),
          }),
          rules: CREATION_RULES,
        }
      : { write: writeUpdate(store, planned, wasSent(operation)), rules: UPDATE_RULES }),
  }
}

/** What goes out is written down before it goes: without it, nothing did. */
const wasSent = ({ facts }: OutboundOperation): boolean => facts['sent'] !== undefined

/** Of what is as planned; what depends on it may go. */
export const idOfApplied = (
  { targetId }: Operation,
  { state, facts }: OutboundOperation,
): string | undefined =>
  state === 'confirmed' || state === 'unchanged'
    ? ((facts['targetId'] as string | undefined) ?? targetId!)
    : undefined
