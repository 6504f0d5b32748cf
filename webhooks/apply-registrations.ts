import type { StoreApi } from '../audit/store-api.ts'
import { call } from '../connectors/partner/call.ts'
import type { WebHookType } from '../connectors/partner/contract/operation.ts'
import { webhooks } from '../connectors/partner/streams/webhooks.ts'
import { TillageError } from '../errors.ts'
import { planRegistrations } from './registrations.ts'
import type { Registered, Registration, WantedRegistrations } from './registrations.ts'

/** An answer that was lost is made up for by looking again. */
const MOST_TURNS = 4

/** What the API has, by its own proven list. */
export async function readRegistrations(api: StoreApi): Promise<Registered[]> {
  const records = await api.readList(webhooks)
  return records.flatMap(({ id, deleted, webHookType, webHookUrls, url }) => {
    if (typeof id !== 'string' || deleted === true) return []
    const type = typeof webHookType === 'string' && webHookType !== '' ? webHookType : undefined
    const urls = [...(Array.isArray(webHookUrls) ? (webHookUrls as unknown[]) : []), url]
    return [{ id, type, urls: [...new Set(urls.filter(isText))] }]
  })
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * Brings the API's registrations to what is wanted, and looks until they are: a request that came
 * to nothing, or whose answer was lost, is judged by the list alone. Answers what became of each.
 */
export async function applyRegistrations(
  api: StoreApi,
  wanted: WantedRegistrations,
  signal: AbortSignal,
): Promise<Registration[]> {
  const done = new Map<string, Registration>()
  let failure: unknown
  for (let turn = 1; turn <= MOST_TURNS; turn++) {
    const plan = planRegistrations(await readRegistrations(api), wanted)
    const steps = plan.filter(({ state }) => state !== 'kept' && state !== 'foreign')
    if (steps.length === 0) return tell(plan, done)
    for (const step of steps) {
      done.set(keyOf(step), step)
      failure = await carryOut(api, step, signal)
    }
  }
  throw failure ?? notTaken(api.store)
}

/** By id where there is one: a creation has its type alone. */
const keyOf = ({ id, type = '', state }: Registration): string =>
  state === 'created' ? type : (id ?? '')

/** As it is now, and how it came to be so. */
const tell = (plan: readonly Registration[], done: ReadonlyMap<string, Registration>) => [
  ...plan.map(one => {
    const before = done.get(one.id ?? '') ?? done.get(one.type ?? '')
    return one.state === 'kept' && before !== undefined ? { ...one, state: before.state } : one
  }),
  ...[...done.values()].filter(({ state }) => state === 'removed'),
]

/** Answers why it failed; what may pass by itself is tried again by the next turn. */
async function carryOut(
  { client, governor }: StoreApi,
  { id, type, url, state }: Registration,
  signal: AbortSignal,
): Promise<unknown> {
  const webHook = { webHookUrls: [url], url, ...(type === undefined ? {} : { webHookType: type }) }
  const body = webHook as typeof webHook & { webHookType?: WebHookType }
  try {
    await governor.run(async () => {
      if (state === 'removed')
        await call(client, 'deleteWebHook', { parameters: { id: id! } }, signal)
      else if (state === 'created') await call(client, 'createWebHook', { body }, signal)
      else await call(client, 'updateWebHook', { parameters: { webHookId: id! }, body }, signal)
    })
    return undefined
  } catch (error) {
    if (error instanceof TillageError && error.recovery === 'retry') return error
    throw error
  }
}

const notTaken = (store: string): TillageError =>
  new TillageError(
    'PARTNER_REFUSED',
    `the API of ${store} takes a registration of an address and does not list it`,
    { remedy: `Look at what it lists: tillage webhooks list --store ${store}` },
  )
