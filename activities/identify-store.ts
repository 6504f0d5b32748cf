import { toIso } from '../calendar/days.ts'
import { isSameZone } from '../calendar/same-zone.ts'
import type { NotedFinding } from '../connectors/destination/findings.ts'
import { isSameShop } from '../connectors/destination/stores.ts'
import type { KnownStore } from '../connectors/destination/stores.ts'
import { STORE_PATH } from '../connectors/partner/store-info.ts'
import { namedShop } from '../connectors/store/open-store.ts'
import { shopIsHereAs } from '../connectors/store/whose-shop.ts'
import { NOTABLE_SKEW_MS, describeSkew, skewFact } from '../reading/api-time.ts'
import type { Dependencies } from './dependencies.ts'
import { keepPace } from './dependencies.ts'
import { chooseZone, refuseSameKeys, zoneChanged } from './judge-identity.ts'

export interface StoreIdentity {
  timeZone: string
  /** Of each stream that has a list for each record of another one: the name of that one. */
  parents: Record<string, string>
  /** Who answered; undefined where the API does not say. */
  companyId?: string | undefined
  shopId?: string | undefined
}

/**
 * The first request of a run: proves that address and keys work before any window is planned,
 * learns the store's zone, and keeps whose shop answers. Its client refuses a key that belongs to
 * another store than the rows in the database, or whose shop is there under another id. An API that
 * does not say whose key it is does not stop a run: the comparison is skipped, and a finding says
 * so.
 */
export async function identifyStore(
  dependencies: Dependencies,
  { store: id }: { store: string },
  signal: AbortSignal,
): Promise<StoreIdentity> {
  const { destination, now } = dependencies
  const store = dependencies.store(id)
  const { settings, governor, client } = store
  refuseSameKeys(settings, dependencies.stores)
  const ask = () => governor.run(() => client.get(STORE_PATH, {}, signal))
  const { shop: answered, refused } = await namedShop(ask)
  const known = await destination.stores.find(id)
  const timeZone = chooseZone({
    id,
    configured: settings.timeZone,
    isRight: settings.timeZoneIsRight === true,
    answered: answered.timeZone,
    known: known?.timeZone,
    refused,
    nowMs: now(),
  })
  await refuseChangedZone(dependencies, { id, known: known?.timeZone, timeZone })
  const { companyId, shopId, name } = answered
  const { baseUrl } = settings
  const identity = { id, companyId, shopId, name, baseUrl, timeZone, checkedAt: toIso(now()) }
  await keepIdentity(dependencies, identity)
  await keepClockSkew(dependencies, id)
  await keepPace(destination.behaviours, id, store.governor, now())
  return { timeZone, companyId, shopId, parents: parentsOf(dependencies) }
}

const parentsOf = ({ streams }: Dependencies): Record<string, string> =>
  Object.fromEntries(
    streams.flatMap(({ name, parent }) => (parent === undefined ? [] : [[name, parent.stream]])),
  )

/** A store whose days were cut otherwise is not read on; without rows, nothing was cut yet. */
async function refuseChangedZone(
  { destination, streams, now }: Dependencies,
  { id, known, timeZone }: { id: string; known: string | undefined; timeZone: string },
): Promise<void> {
  if (known === undefined || isSameZone(known, timeZone, now())) return
  for (const stream of streams) {
    const windows = await destination.ledger.windows(id, stream.name)
    if (windows.length > 0) throw zoneChanged(id, known, timeZone)
  }
}

/** Fails where the shop is here under another id; says so where nobody can tell. */
async function keepIdentity(dependencies: Dependencies, identity: KnownStore): Promise<void> {
  const { destination, stores } = dependencies
  const other = await destination.stores.keep(identity)
  if (other !== undefined) {
    const configured = stores.map(({ id }) => id)
    throw shopIsHereAs(identity.id, other, configured)
  }
  if (identity.shopId === undefined)
    await noteOfStore(dependencies, identity.id, {
      code: 'store_not_identified',
      detail:
        `GET ${STORE_PATH} does not say which shop this is, ` +
        'so it was not compared with the other stores',
    })
  await noteTwin(dependencies, identity)
}

/** Of databases that got a shop twice before that was refused. */
async function noteTwin(dependencies: Dependencies, identity: KnownStore): Promise<void> {
  const twin = (await dependencies.destination.stores.all()).find(other =>
    isSameShop(identity, other),
  )
  if (twin === undefined) return
  await noteOfStore(dependencies, identity.id, {
    code: 'shop_under_two_ids',
    detail: `shop ${identity.shopId} is in the database as ${identity.id} and as ${twin.id}`,
  })
}

const noteOfStore = (
  { destination, now }: Dependencies,
  store: string,
  { code, detail }: Pick<NotedFinding, 'code' | 'detail'>,
): Promise<unknown> =>
  destination.findings.note({
    id: `${store}/${code}`,
    store,
    stream: '',
    code,
    detail,
    readAt: toIso(now()),
  })

/** Keeps how far this machine's clock is from the API's, and notes what is more than minutes. */
async function keepClockSkew(dependencies: Dependencies, id: string): Promise<void> {
  const { destination, store, now } = dependencies
  const skewMs = store(id).client.clock.skewMs()
  const fact = skewFact(skewMs)
  if (skewMs === undefined || fact === undefined) return
  await destination.behaviours.keep(id, [{ ...fact, seenAt: toIso(now()) }])
  if (Math.abs(skewMs) <= NOTABLE_SKEW_MS) return
  await noteOfStore(dependencies, id, {
    code: 'clock_skew',
    detail: `the clock of this machine is ${describeSkew(skewMs)}`,
  })
}
