import { createPush } from '../../activities/create-push.ts'
import { createDependencies } from '../../activities/dependencies.ts'
import type { Config } from '../../config.ts'
import { openDestination, openPushPlace } from '../../connectors/database.ts'
import type { OutboundPlan } from '../../connectors/destination/outbound.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { findPlan, loadPlan } from '../../push/find-plan.ts'
import type { Push } from '../../push/push.ts'
import { refuseOtherStores } from '../arguments/choices.ts'

/** Pushes without Temporal: plans are made, shown and approved here, and applied by a worker. */
export async function withPush<Answer>(
  config: Config,
  action: (push: Push) => Promise<Answer>,
): Promise<Answer> {
  const { database } = config
  const destination = await openDestination(database, streams)
  const stores = config.stores.map(store => ({ ...store, timeZone: store.timeZone }))
  const dependencies = createDependencies(destination, streams, stores, () =>
    Promise.reject(new Error('a push writes no books')),
  )
  const place = openPushPlace(database)
  try {
    return await action(createPush(place, dependencies))
  } finally {
    await place.close()
    await dependencies.close()
  }
}

/** The plan that was named, unless `--store` speaks of other stores than its own. */
export async function findNamedPlan(
  push: Push,
  named: string,
  store: string | undefined,
): Promise<OutboundPlan> {
  const plan = await findPlan(push, named)
  if (store === undefined) return plan
  const { stores } = (await loadPlan(push, plan)).facts
  refuseOtherStores(
    plan.plan,
    stores.map(one => one.store),
    store,
  )
  return plan
}
