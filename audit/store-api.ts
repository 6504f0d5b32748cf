import { MINUTE_MS } from '../calendar/days.ts'
import { call } from '../connectors/partner/call.ts'
import type { ArgumentsOf, CallResult } from '../connectors/partner/call.ts'
import type { PartnerClient } from '../connectors/partner/client.ts'
import type { OperationId } from '../connectors/partner/contract/index.ts'
import { createEndpoint } from '../connectors/partner/endpoint.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import type { Governor } from '../connectors/partner/governor.ts'
import { withRetries } from '../connectors/partner/with-retries.ts'
import type { Retries } from '../connectors/partner/with-retries.ts'
import type { Stream } from '../connectors/stream.ts'
import { proveList } from '../reading/prove-list.ts'
import { parseRecord } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'

/** A store's API as audits read it: live, a few lists at a time, under the store's governor. */
export interface StoreApi {
  store: string
  client: PartnerClient
  governor: Governor
  /** How many requests were made so far. */
  readonly requests: number
  /** One operation that only reads; asked again where the API is busy or gone for a moment. */
  read<const Id extends OperationId>(
    id: Id,
    given: ArgumentsOf<Id>,
  ): Promise<CallResult<Id>['value']>
  /**
   * A whole list, proven (INV-1). Throws LIST_MOVED or NOT_PROVEN where it cannot be: see
   * `proveList`.
   */
  readList(list: Stream, query?: Readonly<Record<string, string>>): Promise<Fields[]>
  /** What was learned of a list so far, to read more of it. */
  endpoint(list: Stream): Endpoint
  close(): Promise<void>
}

/**
 * The lists must be read close together in time, so what fails is asked again right here. The
 * governor answers for an API that asked for a pause, with what is left of it.
 */
export const AUDIT_RETRIES: Omit<Retries, 'signal'> = {
  isPassing: error => error.recovery === 'retry',
  pausesMs: [250, 500, 1000, 2000, 4000, 8000],
  longestPauseMs: 3 * MINUTE_MS,
}

/** Of a store that is open; `close` closes it. */
export function openStoreApi(
  store: { id: string; client: PartnerClient; governor: Governor },
  signal: AbortSignal,
): StoreApi {
  const { id, governor } = store
  const { client, asked } = countRequests(store.client)
  const endpoint = createEndpoints(client, governor)
  const retries = AUDIT_RETRIES
  return {
    store: id,
    client,
    governor,
    endpoint,
    get requests() {
      return asked()
    },
    read: async (operation, given) => {
      const ask = () => governor.run(() => call(client, operation, given, signal))
      return (await withRetries(ask, { signal, ...retries })).value
    },
    readList: async (list, query = {}) => {
      const address = { path: list.path, query }
      const found = await proveList({ endpoint: endpoint(list), address, signal, retries })
      return found.records.map(parseRecord)
    },
    close: () => client.close(),
  }
}

function countRequests(client: PartnerClient): { client: PartnerClient; asked(): number } {
  let requests = 0
  const counted: PartnerClient = {
    ...client,
    get(...request) {
      requests++
      return client.get(...request)
    },
    send(...request) {
      requests++
      return client.send(...request)
    },
  }
  return { client: counted, asked: () => requests }
}

/** Requests under way for one list; the governor decides on all of them together. */
const PAGES_AT_ONCE = 4

function createEndpoints(client: PartnerClient, governor: Governor): StoreApi['endpoint'] {
  const known = new Map<string, Endpoint>()
  return list => {
    const found =
      known.get(list.path) ?? createEndpoint(list, { client, governor, concurrency: PAGES_AT_ONCE })
    known.set(list.path, found)
    return found
  }
}
