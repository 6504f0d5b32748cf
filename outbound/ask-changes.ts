import { toMinute } from '../calendar/days.ts'
import type {
  OutboundEvent,
  OutboundPlan,
  OutboundStore,
} from '../connectors/destination/outbound.ts'
import { PlanError, UsageError } from '../errors.ts'
import { nameKey } from './approval.ts'
import { refuseDiscarded } from './discard.ts'
import { NOT_SENT } from './operation-states.ts'
import { inRun } from './run.ts'
import type { RunPlace } from './run.ts'

/** The event of a plan that a person wants otherwise; its detail is the reason. */
const ASKED = 'changes asked'
/** The same person is content with it after all. */
const WITHDRAWN = 'request withdrawn'

/** Somebody wants a plan otherwise, and has not taken that back: nothing of it is sent. */
export interface ChangeRequest {
  by: string
  /** ISO, UTC. */
  at: string
  reason: string
}

type Named = Pick<OutboundPlan, 'plan' | 'kind'>

interface AskPlace extends RunPlace {
  store: RunPlace['store'] & Pick<OutboundStore, 'operations' | 'events' | 'note'>
}

/** The requests that stand, oldest first: each person's own last word counts. Pure. */
export function openRequests(events: readonly OutboundEvent[]): ChangeRequest[] {
  const standing = new Map<string, ChangeRequest>()
  for (const { event, by, at, detail } of events) {
    const key = nameKey(by ?? '')
    if (event === WITHDRAWN) standing.delete(key)
    if (event === ASKED) standing.set(key, { by: by ?? '', at, reason: detail })
  }
  return [...standing.values()]
}

/**
 * A person wants the plan otherwise: nobody approves it, and nothing of it is sent, until it is
 * planned anew or that person takes the request back. Refused while another process carries the
 * plan out, so that nothing goes out after this; and where nothing is left to send.
 */
export function askForChanges(
  place: AskPlace,
  { plan, kind }: Named,
  { by, reason }: Pick<ChangeRequest, 'by' | 'reason'>,
): Promise<void> {
  if (by === '') throw new UsageError('--by is missing', 'Give the name of a person.')
  if (reason === '') throw new UsageError('--reason is empty', 'Say what should be otherwise.')
  return inRun(place, { plan, act: 'ask changes' }, async () => {
    const { store, now } = place
    refuseDiscarded({ plan, kind }, await store.events(plan))
    const operations = await store.operations(plan)
    if (!operations.some(({ state }) => NOT_SENT.has(state)))
      throw new PlanError('NOT_ALLOWED', `nothing of ${plan} waits to be sent`, {
        remedy: `No request was noted. What became of it: tillage ${kind} show ${plan}`,
      })
    const at = new Date(now()).toISOString()
    await store.note({ plan, op: null, at, event: ASKED, by, detail: reason })
  })
}

/** Whoever asked takes it back: approvals of before count again. Nobody else can. */
export async function withdrawRequest(
  { store, now }: Pick<AskPlace, 'store' | 'now'>,
  { plan, kind }: Named,
  by: string,
): Promise<void> {
  const open = openRequests(await store.events(plan))
  const own = open.find(request => nameKey(request.by) === nameKey(by))
  if (own === undefined)
    throw new PlanError(
      'NOT_ALLOWED',
      open.length === 0
        ? `nobody asks for changes of ${plan}`
        : `${by} has not asked for changes of ${plan}; ${open.map(one => one.by).join(' and ')} did`,
      { remedy: `Nothing was withdrawn. tillage ${kind} show ${plan} tells who asked for what.` },
    )
  const at = new Date(now()).toISOString()
  await store.note({ plan, op: null, at, event: WITHDRAWN, by: own.by, detail: '' })
}

/** Throws where somebody wants the plan otherwise. */
export function refuseAskedChanges({ plan, kind }: Named, events: readonly OutboundEvent[]): void {
  const [first] = openRequests(events)
  if (first === undefined) return
  throw new PlanError('CHANGES_ASKED', describeRequest(first), {
    remedy:
      `Make a new plan, and discard ${plan}; or ${first.by} takes the request back: ` +
      `tillage ${kind} withdraw-request ${plan} --by NAME`,
  })
}

/** `Kim asked for changes at 2026-11-25 14:02Z: the file was last week's`. */
export const describeRequest = ({ by, at, reason }: ChangeRequest): string =>
  `${by} asked for changes at ${toMinute(at)}Z: ${reason}`
