import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import { wireRange } from '../calendar/windows.ts'
import type { PartnerClient } from '../connectors/partner/client.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import type { Governor } from '../connectors/partner/governor.ts'
import type { Stream } from '../connectors/stream.ts'
import { TillageError } from '../errors.ts'
import { readWindow } from '../reading/read-window.ts'
import { provingRows, startReading } from '../reading/reading.ts'
import { UnreadableRecord } from './api.ts'
import { parseExact } from './exact-json.ts'
import type { JsonRecord } from './exact-json.ts'
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
 * A whole list, read until it is proven (INV-1), with every digit of its records. Throws NOT_PROVEN
 * where it cannot be: what such a list does not show may be there all the same. A record `toBeSent`
 * back must have come in letters that can be read.
 */
export async function readList(
  store: PushStore,
  stream: Stream,
  signal: AbortSignal,
  { toBeSent = false }: { toBeSent?: boolean } = {},
): Promise<LiveList> {
  const pages: { listPath: string; body: Uint8Array }[] = []
  const reading = startReading(`push ${randomUUID()}`)
  const verdict = await readWindow(
    {
      endpoint: store.endpoint(stream),
      wire: wireRange({ startMs: 0, endMs: 0 }, 'UTC', 'full-refresh'),
      keepPage: async page => void pages.push(page),
      signal,
    },
    reading,
  )
  if (verdict.status !== 'proven')
    throw new TillageError(
      'NOT_PROVEN',
      `the list of ${stream.name} could not be read with certainty (${verdict.reason})`,
      { remedy: 'Somebody may be editing it right now; try again in a few minutes.' },
    )
  if (toBeSent && reading.findings.has('text_unreadable'))
    throw new UnreadableRecord(`${stream.path} of ${store.client.origin}`)
  // Earlier passes may have shown what was gone by the time of the one that proved the list.
  const proven = new Set(provingRows(reading, stream).map(({ id }) => id))
  return liveList(recordsIn(pages).filter(record => proven.has(idOf(record))))
}

/** The records of all pages with every digit; of several copies the one that was read last. */
function recordsIn(pages: readonly { listPath: string; body: Uint8Array }[]): JsonRecord[] {
  const memory = new Database(':memory:')
  try {
    const texts = memory
      .prepare<[Uint8Array, string], string>('SELECT json(value) FROM jsonb_each(?, ?)')
      .pluck()
    const records = new Map<string, JsonRecord>()
    for (const { body, listPath } of pages)
      for (const text of texts.all(body, listPath)) {
        const record = parseExact(text) as JsonRecord
        records.set(idOf(record), record)
      }
    return [...records.values()]
  } finally {
    memory.close()
  }
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
