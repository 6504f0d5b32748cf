import { hash } from 'node:crypto'
import type { KeyShares } from '../destination/key-shares.ts'
import { createPartnerClient } from '../partner/client.ts'
import type { PartnerClient, PartnerCredentials } from '../partner/client.ts'
import { createEndpoint } from '../partner/endpoint.ts'
import type { Endpoint } from '../partner/endpoint.ts'
import { createGovernor, nextSlot } from '../partner/governor.ts'
import type { Governor, Limits } from '../partner/governor.ts'
import type { OffsetParameter, Stream } from '../stream.ts'
import { identifiedClient } from './identified-client.ts'
import { createSharedPace } from './shared-pace.ts'
import { acceptShop } from './whose-shop.ts'
import type { ConfiguredStore, KnownShops } from './whose-shop.ts'

/** What it takes to talk to a store. */
export interface ApiStore extends PartnerCredentials, ConfiguredStore {
  limits: Limits
  /**
   * What `doctor` found out: the name of the offset parameter, by stream. Never assumed again once
   * known.
   */
  offsets?: Readonly<Record<string, OffsetParameter>> | undefined
  /** The largest limit that its lists take, by stream, where they refused a larger one. */
  pageLimits?: Readonly<Record<string, number>> | undefined
}

/**
 * A store at run time: one client and one governor for its developer key, and what was learned of
 * its endpoints. Nothing is read or written with it before the shop that its keys stand for has
 * answered and is the store's (INV-13).
 */
export interface Store {
  client: PartnerClient
  governor: Governor
  endpoint(stream: Stream): Endpoint
}

export interface StorePlace {
  /** What the database knows of whose shops its rows are. */
  shops: KnownShops
  /** Ids of every store of tillage.yaml, for what an error advises. */
  configured: readonly string[]
  /** What this process and others agree upon, that send with the same keys. */
  shares: KeyShares
  /** Around each `GET` of the client. */
  during?: (<Answer>(request: () => Promise<Answer>) => Promise<Answer>) | undefined
}

/** The one way to a store of the API: whoever has none of these has no client with keys. */
export function openStore(settings: ApiStore, place: StorePlace): Store {
  const partner = createPartnerClient(settings)
  const pace = createSharedPace(place.shares.of(nameOf(settings)), settings.limits)
  const { during } = place
  const client = identifiedClient(
    during === undefined
      ? partner
      : { ...partner, get: (...request) => during(() => partner.get(...request)) },
    { accept: shop => acceptShop(settings, shop, place), turn: () => nextSlot(pace) },
  )
  const governor = createGovernor(settings.limits, pace)
  const endpoints = new Map<string, Endpoint>()
  return {
    client,
    governor,
    endpoint(stream) {
      const known = endpoints.get(stream.name)
      if (known !== undefined) return known
      const { concurrency } = settings.limits
      const endpoint = createEndpoint(
        stream,
        { client, governor, concurrency },
        {
          pageLimit: settings.pageLimits?.[stream.name],
          offsetParameter: settings.offsets?.[stream.name],
        },
      )
      endpoints.set(stream.name, endpoint)
      return endpoint
    },
  }
}

/** Keys stand in no file of ours. */
const nameOf = ({ baseUrl, developerKey }: ApiStore): string =>
  hash('sha256', `${baseUrl} ${developerKey}`).slice(0, 32)
