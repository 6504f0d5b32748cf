import { MINUTE_MS } from '../../calendar/days.ts'
import { PartnerError, TillageError } from '../../errors.ts'
import type { ErrorCode } from '../../errors.ts'
import { sha256Of } from '../../sha256.ts'
import type { KeyShares } from '../destination/key-shares.ts'
import { createPartnerClient } from '../partner/client.ts'
import type { PartnerClient, PartnerCredentials } from '../partner/client.ts'
import { createEndpoint } from '../partner/endpoint.ts'
import type { Endpoint } from '../partner/endpoint.ts'
import { createGovernor, nextSlot } from '../partner/governor.ts'
import type { Governor, Limits } from '../partner/governor.ts'
import { STORE_PATH, parseStoreInfo } from '../partner/store-info.ts'
import type { StoreInfo } from '../partner/store-info.ts'
import type { OffsetParameter, Stream } from '../stream.ts'
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
  sha256Of(`${baseUrl} ${developerKey}`).slice(0, 32)

/** How long an answer of `GET /store` stands for the keys that it was asked with. */
const FRESH_MS = 5 * MINUTE_MS

/** What a key that was changed or taken back answers. */
const REFUSED_KEY: readonly number[] = [401, 403]
const REFUSED_KEY_CODES: readonly ErrorCode[] = ['PARTNER_KEYS', 'PARTNER_PERMISSION']

/** By a status, or by an error under status 200. */
const NOT_OFFERED: readonly ErrorCode[] = ['PARTNER_REFUSED', 'PARTNER_ERROR_BODY']

/** Judges whose shop answered, and throws where it is not the store's. */
export interface ShopJudge {
  /**
   * Answers whose rows the keys may read, by all that is known of the store; undefined where there
   * was nothing to compare with: then the next request asks it again.
   */
  accept(shop: StoreInfo): Promise<StoreInfo | undefined>
  /** Waits until the question itself may be sent. */
  turn?: (() => Promise<void>) | undefined
  now?: () => number
}

/**
 * The same client, which sends nothing before it has asked whose shop its own keys stand for, and
 * the judge has accepted the answer (INV-13). The answer stands for minutes, and is asked for again
 * after a 401 or 403. An API that has no `GET /store` stops nothing: the judge hears that it names
 * nobody.
 */
export function identifiedClient(client: PartnerClient, judge: ShopJudge): PartnerClient {
  const now = judge.now ?? Date.now
  let answer: { shop: StoreInfo; known: StoreInfo | undefined; untilMs: number } | undefined
  let asking: Promise<void> | undefined

  const take = async (shop: StoreInfo): Promise<void> => {
    answer = undefined
    const known = await judge.accept(shop)
    answer = { shop, known, untilMs: now() + FRESH_MS }
  }
  /** One question for all that wait for it; each stops waiting when it is stopped itself. */
  const ask = async (signal: AbortSignal | undefined): Promise<void> => {
    asking ??= askStore(client, judge)
      .then(take)
      .finally(() => (asking = undefined))
    await orStopped(asking, signal)
  }
  const confirm = async (signal: AbortSignal | undefined): Promise<void> => {
    if (answer === undefined || answer.untilMs <= now()) await ask(signal)
    else answer.known ??= await judge.accept(answer.shop)
  }
  const forget = (): void => void (answer = undefined)

  return {
    ...client,
    shop: () => answer?.known ?? answer?.shop,
    async get(path, query, signal, redacted) {
      if (path !== STORE_PATH) await confirm(signal)
      try {
        const body = await client.get(path, query, signal, redacted)
        if (path === STORE_PATH) await take(parseStoreInfo(body.toString('utf8')))
        return body
      } catch (error) {
        if (isOneOf(error, REFUSED_KEY_CODES)) forget()
        if (path === STORE_PATH && isOneOf(error, NOT_OFFERED)) await take({})
        throw error
      }
    },
    async send(request, signal) {
      // What a consumer sends carries no key of ours.
      if (request.anonymous !== true && request.path !== STORE_PATH) await confirm(signal)
      const answered = await client.send(request, signal)
      if (REFUSED_KEY.includes(answered.status)) forget()
      return answered
    },
  }
}

/** Who the keys stand for; nobody where the API does not say it. */
async function askStore(client: PartnerClient, { turn }: ShopJudge): Promise<StoreInfo> {
  await turn?.()
  return (await namedShop(() => client.get(STORE_PATH, {}))).shop
}

/** What the API says of a store; `refused` is why it says nothing. */
export interface NamedShop {
  shop: StoreInfo
  refused?: PartnerError
}

/**
 * The shop that an answer names. A server without this endpoint may still have the lists; reading
 * them will show that.
 */
export async function namedShop(ask: () => Promise<Buffer>): Promise<NamedShop> {
  try {
    const body = await ask()
    return { shop: parseStoreInfo(body.toString('utf8')) }
  } catch (error) {
    if (isOneOf(error, NOT_OFFERED)) return { shop: {}, refused: error }
    throw error
  }
}

const isOneOf = (error: unknown, codes: readonly ErrorCode[]): error is PartnerError =>
  error instanceof PartnerError && codes.includes(error.code)

async function orStopped(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work
  signal.throwIfAborted()
  const stop = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: stop.signal })
  try {
    await Promise.race([work, stopped])
  } finally {
    stop.abort()
  }
}

const WRITE_ZONE = 'Write timeZone: (like America/Los_Angeles) into this store in tillage.yaml.'

/** Nobody says where the days of a store begin; `refused` is why the API did not say it. */
export function unknownZone(store: string, refused: PartnerError | undefined): TillageError {
  const what = `the API does not say in which time zone ${store} is`
  if (refused === undefined) return new TillageError('STORE_UNKNOWN', what, { remedy: WRITE_ZONE })
  return new TillageError('STORE_UNKNOWN', `${what}: ${refused.message}`, {
    cause: refused,
    remedy: `${refused.remedy ?? ''} If it refuses this alone: ${WRITE_ZONE}`.trim(),
  })
}
