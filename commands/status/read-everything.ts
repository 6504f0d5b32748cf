import type { BooksPlace } from '../../books/books-place.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { askedOnce } from '../../outbound/asked-once.ts'
import { waitingPlans } from '../../outbound/waiting-plans.ts'
import type { JudgePlan } from '../../outbound/waiting-plans.ts'
import { judgeEnd } from '../../reconcile/operation-facts.ts'
import { knownSchedules } from '../../schedules/known-schedules.ts'
import { judgeDue, newestRuns } from '../../schedules/read-due.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import type { Notice } from '../../standing/notice.ts'
import { readInstallation } from '../../standing/read-installation.ts'
import type { KnownWorker } from '../../standing/read-installation.ts'
import { readStore } from '../../standing/read-store.ts'
import type { KnownPlans, StoreQuestion, StoreStanding } from '../../standing/read-store.ts'
import { judgePlanOf } from '../plans/judge-plan.ts'
import { readReconcileStanding } from '../reconcile/standing.ts'

/** Where everything is known. */
export interface KnownPlace extends BooksPlace {
  outbound: OutboundStore
}

interface Question extends Pick<StoreQuestion, 'nowMs' | 'countsRows' | 'computesDays'> {
  worker: KnownWorker
  /** Undefined: those of the settings, and those that have left them. */
  stores?: readonly string[] | undefined
}

/** How everything stands: what is due, what is open of the programs, and of each store. */
export interface Everything {
  due: DueLine[]
  installation: Notice[]
  stores: StoreStanding[]
}

/** Those of the settings, then those that have left them: plans of theirs may wait all the same. */
async function storesToTell({
  config,
  database,
}: Pick<KnownPlace, 'config' | 'database'>): Promise<string[]> {
  const known = [...config.stores, ...(await database.stores.all())]
  return [...new Set(known.map(({ id }) => id))]
}

/** The one way to find out what is open: `status`, `notify` and whatever calls share it. */
export async function readEverything(
  place: KnownPlace,
  { stores: ids, worker, ...at }: Question,
): Promise<Everything> {
  const stores: StoreStanding[] = []
  const outbound = askedOnce(place.outbound)
  const judge = judgePlanOf({ config: place.config, outbound })
  const runs = await newestRuns(place.database.runs)
  const { isUp: workerIsUp, open, missingRoles } = worker
  const moment = { nowMs: at.nowMs, workerIsUp, missingRoles, open }
  const due = judgeDue(await knownSchedules(place.database.schedules), runs, moment)
  for (const store of ids ?? (await storesToTell(place))) {
    const plans = await readPlans({ ...place, outbound, judge }, store, at.nowMs)
    stores.push(await readStore(place, { store, plans, runs, due, open, ...at }))
  }
  return { due, installation: await readInstallation(place, worker), stores }
}

export const noticesOf = ({ installation, stores }: Everything): Notice[] => [
  ...installation,
  ...stores.flatMap(({ notices }) => notices),
]

/** Plans that wait for somebody, and the days since the last full reconciliation. */
const readPlans = async (
  { config, database: { ledger }, outbound, judge }: KnownPlace & { judge: JudgePlan },
  store: string,
  nowMs: number,
): Promise<KnownPlans> => ({
  waiting: await waitingPlans(outbound, store, { nowMs, judge, judgeEnd }),
  reconcile: await readReconcileStanding(config, { outbound, ledger }, store),
})
