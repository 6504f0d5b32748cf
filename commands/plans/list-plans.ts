import { describeDuration } from '../../calendar/days.ts'
import type { OutboundPlan, OutboundStore } from '../../connectors/destination/outbound.ts'
import { PlanError, UsageError } from '../../errors.ts'
import { storesOf } from '../../outbound/waiting-plans.ts'
import { summarize } from '../../push/summary.ts'
import { formatTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { showPush } from './load-plans.ts'
import type { PlanPlace } from './load-plans.ts'

/** A plan in a list, as `--json` answers it. */
export interface ListedPlan {
  plan: string
  stores: string[]
  /** As `show` has it; `changed` where the plan is not as it was planned. */
  state: string
  /** ISO, UTC. */
  createdAt: string
  /** What it is about, in a line; why, where the state is `changed`. */
  says: string
}

/** Every plan of a kind, or those of one store, the newest first. */
export async function listPlans(
  outbound: Pick<OutboundStore, 'plans'>,
  kind: OutboundPlan['kind'],
  store: string | undefined,
  readState: (plan: OutboundPlan) => Promise<Pick<ListedPlan, 'state' | 'says'>>,
): Promise<ListedPlan[]> {
  const plans = (await outbound.plans(kind)).filter(
    plan => store === undefined || storesOf(plan).includes(store),
  )
  return Promise.all(
    plans.map(async plan => ({
      plan: plan.plan,
      stores: storesOf(plan),
      createdAt: plan.createdAt,
      ...(await readState(plan).catch(asChanged)),
    })),
  )
}

/** Every push, with what it does in a line. */
export const listPushes = (place: PlanPlace, store: string | undefined): Promise<ListedPlan[]> =>
  listPlans(place.outbound, 'push', store, async ({ plan }) => {
    const { kind, of, entity, state, stores } = await showPush(place, plan)
    const what = kind === 'undo' ? `undo of ${of}` : entity
    return { state, says: `${what}: ${summarize(stores.flatMap(one => one.operations))}` }
  })

function asChanged(error: unknown): Pick<ListedPlan, 'state' | 'says'> {
  if (error instanceof PlanError || error instanceof UsageError)
    return { state: 'changed', says: error.message }
  throw error
}

export function printPlans(terminal: Terminal, plans: readonly ListedPlan[]): number {
  terminal.print(terminal.json ? JSON.stringify({ plans }) : describe(plans, Date.now()))
  return 0
}

const describe = (plans: readonly ListedPlan[], nowMs: number): string =>
  plans.length === 0
    ? 'There are no plans yet.'
    : formatTable(
        ['plan', 'stores', 'age', 'state', 'detail'],
        plans.map(({ plan, stores, createdAt, state, says }) => [
          plan,
          stores.join(', '),
          describeDuration(Math.max(0, nowMs - Date.parse(createdAt))),
          state,
          says,
        ]),
      )
