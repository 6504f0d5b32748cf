import type { PartnerClient } from '../connectors/partner/client.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import type { Governor } from '../connectors/partner/governor.ts'
import type { Stream } from '../connectors/stream.ts'
import { proveList } from '../reading/prove-list.ts'
import { parseExact } from '../text/exact-json.ts'
import type { JsonRecord } from '../text/exact-json.ts'
import { UnreadableRecord } from './api.ts'
import { idOf, liveList } from './live.ts'
import type { LiveCatalog, LiveList } from './live.ts'
import type { Catalog } from './operation.ts'

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
