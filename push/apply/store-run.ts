import type { OutboundPlan } from '../../connectors/destination/outbound.ts'
import type { TillageError } from '../../errors.ts'
import type { Outcome } from '../../outbound/outcome.ts'
import { refuseOtherTarget, targetOf } from '../../outbound/target.ts'
import type { LiveList } from '../live.ts'
import type { RememberedPlan } from '../load-plan.ts'
import type { Entity, Image, Operation } from '../operation.ts'
import { readPicture } from '../plan/keep-documents.ts'
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
  /** As it was planned; undefined: nobody has it any more. */
  readPicture(image: Image): Promise<Buffer | undefined>
  /**
   * A proven list, for whoever is about to create something. One read serves all creations until
   * one of them is sent; those that are looked up by themselves right before do with one for all.
   */
  listBefore(planned: Operation): Promise<LiveList>
  /** A creation is about to go out: what was read of its list before is out of date. */
  creates(planned: Operation): void
  /** What was read of them may be out of date. */
  forgetLists(): void
  /** Nothing more can be sent to this store. */
  fail(error: TillageError): void
  failure(): TillageError | undefined
}

/** What was begun for a write is not given up half-way. */
export const NEVER = new AbortController().signal

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
  const lists = rememberLists(push, store)
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
    readPicture: image => readPicture(push.outbound, plan.plan, image),
    ...lists,
    fail: error => void (failure ??= error),
    failure: () => failure,
  }
}

/** Each list until it is out of date; one that could not be read is read again by the next. */
function rememberLists(
  push: Push,
  store: PushStore,
): Pick<StoreRun, 'listBefore' | 'creates' | 'forgetLists'> {
  const lists = new Map<Entity, Promise<LiveList>>()
  return {
    listBefore({ entity }) {
      const known = lists.get(entity)
      if (known !== undefined) return known
      const reading = readList(store, push.streams[entity], NEVER)
      lists.set(entity, reading)
      reading.catch(() => lists.delete(entity))
      return reading
    },
    creates({ entity, sku }) {
      if (sku === undefined) lists.delete(entity)
    },
    forgetLists: () => lists.clear(),
  }
}
