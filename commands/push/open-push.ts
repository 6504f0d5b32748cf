import { createPush } from '../../activities/create-push.ts'
import { createDependencies } from '../../activities/dependencies.ts'
import type { Config } from '../../config.ts'
import { openDestination, openOutboundStore, openPushMemory } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { currencyOf } from '../../money/currency.ts'
import { storesOf } from '../../outbound/waiting-plans.ts'
import { loadPlan } from '../../push/load-plan.ts'
import type { RememberedPlan } from '../../push/load-plan.ts'
import type { Push } from '../../push/push.ts'
import { thisProcess } from '../../temporal/this-process.ts'
import { refuseOtherStores } from '../arguments/choices.ts'

/** Pushes without Temporal: plans are made, shown and approved here, and applied by a worker. */
export async function withPush<Answer>(
  config: Config,
  action: (push: Push) => Promise<Answer>,
): Promise<Answer> {
  const { database, localFiles } = config
  const destination = await openDestination(config, streams)
  const stores = config.stores.map(store => ({ ...store, timeZone: store.timeZone }))
  await using dependencies = createDependencies(destination, streams, stores, () =>
    Promise.reject(new Error('a push writes no books')),
  )
  await using memory = await openPushMemory(database)
  await using outbound = await openOutboundStore(database)
  const settings = { ...config.push, currencyOf: (store: string) => currencyOf(config, store) }
  const mine = { settings, runner: thisProcess() }
  return await action(createPush({ outbound, memory, localFiles, ...mine }, dependencies))
}

/** The plan that was named, unless `--store` speaks of other stores than its own. */
export async function loadNamedPlan(
  push: Push,
  named: string,
  store: string | undefined,
): Promise<RememberedPlan> {
  const remembered = await loadPlan(push, named)
  refuseOtherStores(remembered.plan.plan, storesOf(remembered.plan), store)
  return remembered
}
