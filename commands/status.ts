import type { BooksPlace } from '../books/books-place.ts'
import { openReadOnly } from '../connectors/database.ts'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import { keptPace } from '../connectors/partner/known-pace.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { waitingPlans } from '../outbound/waiting-plans.ts'
import { readDue } from '../schedules/read-due.ts'
import { needsSomebody } from '../standing/notice.ts'
import { readInstallation } from '../standing/read-installation.ts'
import { readStore } from '../standing/read-store.ts'
import type { KnownPlans, StoreQuestion } from '../standing/read-store.ts'
import { chooseReadStores } from './arguments/choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { judgePlanOf } from './plans/judge-plan.ts'
import { withOutbound } from './plans/with-outbound.ts'
import { readReconcileStanding } from './reconcile/standing.ts'
import { describeStatus, statusAsJson } from './status/describe-status.ts'
import type { Status, StoreStatus } from './status/describe-status.ts'
import { askWorker } from './status/worker-is-up.ts'

interface StatusOptions {
  store?: string
  all?: boolean
}

/**
 * `tillage status`: one line for each store with what needs attention first; each stream with
 * `--store` or `--all`. 3 if something needs somebody: not proven, dead-lettered or parked, due and
 * not done, booked and changed, or waiting for a person, a worker or a restart.
 */
async function status({ config, terminal }: Context, options: StatusOptions): Promise<number> {
  const database = await openReadOnly(config, streams)
  try {
    const worker = await askWorker(config, database.identity)
    const nowMs = Date.now()
    const due = await readDue(database, { nowMs, workerIsUp: worker.isUp, open: worker.open })
    const chosen = await chooseReadStores(config, database, options.store)
    const strangers =
      options.store === undefined
        ? (await database.stores.all()).map(({ id }) => id).filter(id => !chosen.includes(id))
        : []
    const stores = await readStores({ config, database }, [...chosen, ...strangers], { nowMs, due })
    const whole: Status = {
      database: config.database,
      worker,
      installation: await readInstallation({ config, database }, worker),
      stores,
      due: due.filter(line => chosen.includes(line.store)),
      freshness: database.freshness().filter(({ store }) => chosen.includes(store)),
      nowMs,
    }
    const everyStream = options.all === true || options.store !== undefined
    terminal.print(terminal.json ? statusAsJson(whole) : describeStatus(whole, everyStream))
    const notices = [...whole.installation, ...stores.flatMap(store => store.notices)]
    return needsSomebody(notices) ? 3 : 0
  } finally {
    await database.close()
  }
}

const readStores = (
  place: BooksPlace,
  ids: readonly string[],
  at: Pick<StoreQuestion, 'nowMs' | 'due'>,
): Promise<StoreStatus[]> =>
  withOutbound(place.config, async outbound => {
    const stores: StoreStatus[] = []
    for (const store of ids) {
      const plans = await readPlans(place, outbound, store, at.nowMs)
      const standing = await readStore(place, { store, plans, ...at })
      const pace = keptPace(await place.database.behaviours.of(store))
      const found = pace && { perSecond: Number(pace.value), foundAt: pace.seenAt }
      stores.push({ ...standing, pace: found ?? null })
    }
    return stores
  })

/** Plans that wait for somebody, and the days since the last full reconciliation. */
const readPlans = async (
  { config, database: { ledger } }: BooksPlace,
  outbound: OutboundStore,
  store: string,
  nowMs: number,
): Promise<KnownPlans> => ({
  waiting: await waitingPlans(outbound, store, { nowMs, judge: judgePlanOf(config, outbound) }),
  reconcile: await readReconcileStanding(config, { outbound, ledger }, store),
})

export const command = declareCommand({
  options: [option('--all', 'every stream of every store')],
  notes:
    'With --store, every stream of that store, ' +
    'also of one that left tillage.yaml while its data is here.',
  run: status,
})
