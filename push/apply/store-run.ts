import type { OutboundPlan } from '../../connectors/destination/outbound.ts'
import { TillageError } from '../../errors.ts'
import type { Outcome } from '../../outbound/outcome.ts'
import { refuseOtherTarget, targetOf } from '../../outbound/target.ts'
import { idOf } from '../live.ts'
import type { LiveList } from '../live.ts'
import type { RememberedPlan } from '../load-plan.ts'
import type { Entity, Operation } from '../operation.ts'
import type { Push } from '../push.ts'
import { readList } from '../read-list.ts'
import type { CatalogStreams, PushStore } from '../read-list.ts'

/** JSON texts: the record as it was, and as it goes out. */
export interface SentFacts {
  before: string
  sent: string
}

/** One run of a plan against one store: what its writes share. */
export interface StoreRun {
  id: string
  store: PushStore
  streams: CatalogStreams
  known: {
    ids: ReadonlyMap<string, string>
    assets: Map<string, string>
  }
  /** Pictures that are on their way to the store, by sha256. */
  uploads: Map<string, Promise<Outcome | undefined>>
  now(): number
  /** A read and the write that follows it at once, at the pace of two requests. */
  paced<Answer>(action: () => Promise<Answer>): Promise<Answer>
  /**
   * The write-ahead record gains what is sent, and what it replaces. False: it is not this
   * attempt's any more, and nothing may be sent.
   */
  keep(planned: Operation, attempt: number, facts: SentFacts): Promise<boolean>
  keepAsset(sha256: string, asset: string): Promise<void>
  /** What a proven list says of a creation; the list is read once for all creations of a run. */
  refuseExisting(planned: Operation): Promise<Outcome | undefined>
  /** Nothing more can be sent to this store. */
  fail(error: TillageError): void
  failure(): TillageError | undefined
}

const NEVER = new AbortController().signal

/**
 * Before the first operation: whoever answers there must be whom the plan was made for. `ids` are
 * those of records that operations of the plan have created.
 */
export async function openStoreRun(
  push: Push,
  { plan, targets }: RememberedPlan,
  { store, ids, signal }: { store: string; ids: ReadonlyMap<string, string>; signal: AbortSignal },
): Promise<StoreRun> {
  const identity = await push.identify(store, signal)
  const now = targetOf(push.store(store).settings, identity)
  refuseOtherTarget({ plan: plan.plan, store }, targets.get(store)!, now)
  const assets = new Map(await push.memory.assets(store))
  return createStoreRun(push, plan, store, { ids, assets })
}

function createStoreRun(
  push: Push,
  plan: OutboundPlan,
  id: string,
  known: StoreRun['known'],
): StoreRun {
  const store = push.store(id)
  const listOf = rememberLists(push, store)
  let failure: TillageError | undefined
  return {
    id,
    store,
    known,
    uploads: new Map(),
    streams: push.streams,
    now: push.now,
    async paced(action) {
      await store.governor.run(async () => {})
      return store.governor.run(action)
    },
    keep({ id: op }, attempt, facts) {
      const at = new Date(push.now()).toISOString()
      const step = { from: ['submitted'], to: 'submitted', event: 'sending', detail: '' } as const
      return push.outbound.move({ plan: plan.plan, op, attempt, ...step, facts: { ...facts }, at })
    },
    async keepAsset(sha256, asset) {
      known.assets.set(sha256, asset)
      await push.memory.keepAsset(id, sha256, asset)
    },
    refuseExisting: planned => refuseExisting(listOf, planned),
    fail: error => void (failure ??= error),
    failure: () => failure,
  }
}

async function refuseExisting(
  listOf: (entity: Entity) => Promise<LiveList>,
  { entity, externalId }: Operation,
): Promise<Outcome | undefined> {
  try {
    const [found] = (await listOf(entity)).find('externalId', externalId)
    return found === undefined ? undefined : existsAlready(idOf(found))
  } catch (error) {
    if (!(error instanceof TillageError)) throw error
    return { kind: 'not taken', why: `${error.code}: ${error.message}` }
  }
}

export const existsAlready = (id: string): Outcome => ({
  kind: 'stale',
  why: `somebody has created it since the plan was made: ${id}`,
})

/** Each list once; one that could not be read is read again by whoever asks next. */
function rememberLists(push: Push, store: PushStore): (entity: Entity) => Promise<LiveList> {
  const lists = new Map<Entity, Promise<LiveList>>()
  return entity => {
    const known = lists.get(entity)
    if (known !== undefined) return known
    const reading = readList(store, push.streams[entity], NEVER)
    lists.set(entity, reading)
    reading.catch(() => lists.delete(entity))
    return reading
  }
}
