import { toMinute } from '../calendar/days.ts'
import type {
  OperationState,
  OutboundEvent,
  OutboundPlan,
  OutboundStore,
} from '../connectors/destination/outbound.ts'
import { PlanError, UsageError } from '../errors.ts'
import { NOT_SENT } from './operation-states.ts'
import { inRun } from './run.ts'
import type { RunPlace } from './run.ts'

/** The event of a plan that a person gave up; its detail is the reason. */
export const DISCARDED = 'discarded'
/** The event of each of its operations that was not sent. */
export const OPERATION_DISCARDED = 'abandoned'
/** The event before, where a person has given up an operation of which nobody knew. */
const RESOLVED = 'resolved as abandon'

/** Of an operation in these nobody knows whether the API has it. */
const IN_DOUBT: ReadonlySet<OperationState> = new Set(['submitted', 'unknown'])

interface DiscardPlace extends RunPlace {
  store: RunPlace['store'] & Pick<OutboundStore, 'operations' | 'events' | 'move' | 'note'>
}

/**
 * A person gives up what of a plan was not sent: nothing more of it can be. Refused while another
 * process carries it out, where nobody knows what became of an operation, and where nothing is left
 * to give up. Answers how many operations were given up.
 */
export function discardPlan(
  place: DiscardPlace,
  { plan, kind }: Pick<OutboundPlan, 'plan' | 'kind'>,
  { by, reason }: { by: string; reason: string },
): Promise<number> {
  if (by === '') throw new UsageError('--by is missing', 'Give the name of a person.')
  if (reason === '') throw new UsageError('--reason is empty', 'Say why the plan is given up.')
  return inRun(place, { plan, act: 'discard' }, async () => {
    const { store, now } = place
    const events = await store.events(plan)
    refuseDiscarded({ plan, kind }, events)
    const operations = await store.operations(plan)
    const doubtful = operations.find(({ state }) => IN_DOUBT.has(state))
    if (doubtful !== undefined) throw inDoubt({ plan, kind }, doubtful.op)
    if (!operations.some(isUnsent) && !wasBegun(events)) throw nothingLeft({ plan, kind })
    const at = new Date(now()).toISOString()
    const unsent = operations.filter(isUnsent)
    for (const { op, attempt } of unsent) {
      const end = { to: 'abandoned', event: OPERATION_DISCARDED, detail: reason } as const
      await store.move({ plan, op, from: [...NOT_SENT], attempt, ...end, at, by })
    }
    await store.note({ plan, op: null, at, event: DISCARDED, by, detail: reason })
    return unsent.length
  })
}

const isUnsent = ({ state }: { state: OperationState }): boolean => NOT_SENT.has(state)

/**
 * A discard that was killed is noted by the next one. What a person has given up by `resolve` is no
 * discard.
 */
function wasBegun(events: readonly OutboundEvent[]): boolean {
  const resolved = events.filter(({ event }) => event === RESOLVED).map(({ op }) => op)
  return events.some(({ event, op }) => event === OPERATION_DISCARDED && !resolved.includes(op))
}

const nothingLeft = ({ plan, kind }: Pick<OutboundPlan, 'plan' | 'kind'>): PlanError =>
  new PlanError('NOT_ALLOWED', `nothing is left to give up of ${plan}: nothing waits to be sent`, {
    remedy: `No discard was noted. What became of each operation: tillage ${kind} show ${plan}`,
  })

const inDoubt = ({ plan, kind }: Pick<OutboundPlan, 'plan' | 'kind'>, op: string): PlanError =>
  new PlanError('NOT_ALLOWED', `it is unknown whether ${op} of ${plan} was taken`, {
    remedy:
      `Nothing was given up. Look at it: tillage ${kind} show ${plan}. ` +
      `Then: tillage ${kind} resolve ${plan} ${op}, and discard the rest.`,
  })

export const isDiscarded = (events: readonly OutboundEvent[]): boolean =>
  events.some(({ event }) => event === DISCARDED)

/** Throws where a plan was given up. */
export function refuseDiscarded(
  { plan, kind }: Pick<OutboundPlan, 'plan' | 'kind'>,
  events: readonly OutboundEvent[],
): void {
  const word = events.findLast(({ event }) => event === DISCARDED)
  if (word === undefined) return
  throw new PlanError(
    'PLAN_DISCARDED',
    `${word.by} gave ${plan} up at ${toMinute(word.at)}Z: ${word.detail}`,
    {
      remedy: `Nothing more of it is sent. To send it again, make a new plan: tillage ${kind} plan`,
    },
  )
}
