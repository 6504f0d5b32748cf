import type { PartnerClient } from '../connectors/partner/client.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import type { Governor } from '../connectors/partner/governor.ts'
import type { Stream } from '../connectors/stream.ts'
import { proveList } from '../reading/prove-list.ts'
import { parseExact } from '../text/exact-json.ts'
import type { JsonRecord } from '../text/exact-json.ts'
import { canBeRead, getRecord, UnreadableRecord } from './api.ts'
import { idOf, liveList } from './live.ts'
import type { LiveCatalog, LiveList } from './live.ts'
import type { Catalog, Entity } from './operation.ts'

/** A store, as far as a push talks to it. */
export interface PushStore {
  client: PartnerClient
  governor: Governor
  endpoint(stream: Stream): Endpoint
}

/** The lists that a push reads. */
export type CatalogStreams = Readonly<Record<keyof LiveCatalog, Stream>>

export const catalogStreams = (find: (name: string) => Stream): CatalogStreams => ({
  products: find('products'),
  vendors: find('vendors'),
  brands: find('brands'),
  categories: find('categories'),
})

/**
 * A whole list, proven (INV-1), with every digit of its records: see `proveList`. A record
 * `toBeSent` back must have come in letters that can be read.
 */
export async function readList(
  store: PushStore,
  stream: Stream,
  signal: AbortSignal,
  { toBeSent = false }: { toBeSent?: boolean } = {},
): Promise<LiveList> {
  const list = await proveList({ endpoint: store.endpoint(stream), signal })
  if (toBeSent && list.hasUnreadableText)
    throw new UnreadableRecord(`${stream.path} of ${store.client.origin}`)
  const records = list.records.map(text => parseExact(text) as JsonRecord)
  // A list may show one record twice.
  return liveList([...new Map(records.map(record => [idOf(record), record])).values()])
}

/**
 * Lists of a store, each read once, and single records as they are now: of brands, which the API
 * shows in a list only, out of that list. Takes its turns at the governor itself.
 */
export function createReader(store: PushStore, streams: CatalogStreams, signal: AbortSignal) {
  const lists = new Map<Entity, Promise<LiveList>>()
  const list = (entity: Entity): Promise<LiveList> => {
    const known = lists.get(entity) ?? readList(store, streams[entity], signal)
    lists.set(entity, known)
    return known
  }
  const record = async (entity: Entity, id: string): Promise<JsonRecord | undefined> =>
    canBeRead(entity)
      ? store.governor.run(() => getRecord(store.client, entity, id, signal))
      : (await list(entity)).byId.get(id)
  return { list, record }
}

const NOTHING = liveList([])

/** What a plan of this catalog looks at. Vendors refer to brands alone. */
export async function readCatalog(
  store: PushStore,
  streams: CatalogStreams,
  catalog: Catalog,
  signal: AbortSignal,
): Promise<LiveCatalog> {
  const read = (entity: keyof LiveCatalog): Promise<LiveList> =>
    readList(store, streams[entity], signal)
  if (catalog === 'vendors')
    return {
      vendors: await read('vendors'),
      brands: await read('brands'),
      products: NOTHING,
      categories: NOTHING,
    }
  return {
    products: await read('products'),
    vendors: await read('vendors'),
    brands: await read('brands'),
    categories: await read('categories'),
  }
}
