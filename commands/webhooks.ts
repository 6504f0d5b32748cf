import { openStoreApi } from '../audit/store-api.ts'
import type { StoreApi } from '../audit/store-api.ts'
import type { Config } from '../config.ts'
import { openDestination } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { openStore } from '../connectors/store/open-store.ts'
import { UsageError } from '../errors.ts'
import { maskedUrlOf, newSecret, urlOf } from '../webhooks/address.ts'
import { applyRegistrations, readRegistrations } from '../webhooks/apply-registrations.ts'
import { HINTED_TYPES } from '../webhooks/event.ts'
import { planRegistrations } from '../webhooks/registrations.ts'
import type { Registration } from '../webhooks/registrations.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import { chooseStores } from './arguments/choices.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily, Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

interface WebhooksOptions {
  store?: string
  showSecret?: boolean
}

type Act = 'apply' | 'list' | 'remove' | 'rotate'

/** What the API tells of one store, and where. */
interface StoreWebhooks {
  store: string
  /** Null: the store has no address. */
  url: string | null
  registrations: Registration[]
}

type Destination = Awaited<ReturnType<typeof openDestination>>

const run =
  (act: Act) =>
  async ({ config, terminal, signal }: Context, options: WebhooksOptions): Promise<number> => {
    const { publicUrl } = requireSettings(config)
    await using destination = await openDestination(config, streams)
    const stores: StoreWebhooks[] = []
    for (const store of chooseStores(config, options.store)) {
      const api = openApi(config, destination, store, signal)
      try {
        stores.push(await ACTS[act]({ destination, publicUrl, store, api, signal }))
      } finally {
        await api.close()
      }
    }
    const shown = options.showSecret === true ? stores : stores.map(one => mask(one, publicUrl))
    terminal.print(terminal.json ? JSON.stringify({ stores: shown }) : describe(shown))
    return 0
  }

function requireSettings({ webhooks }: Config): WebhookSettings {
  if (webhooks !== undefined) return webhooks
  throw new UsageError(
    'tillage.yaml has no webhooks:',
    'Say where events arrive: webhooks: { listen: 127.0.0.1:8750, publicUrl: https://... }',
  )
}

function openApi(config: Config, place: Destination, id: string, signal: AbortSignal): StoreApi {
  const configured = config.stores.map(store => store.id)
  const settings = config.stores.find(store => store.id === id)!
  const store = openStore(settings, { shops: place.stores, shares: place.keyShares, configured })
  return openStoreApi({ id, ...store }, signal)
}

interface Asked {
  destination: Destination
  publicUrl: string
  store: string
  api: StoreApi
  signal: AbortSignal
}

const ACTS: Readonly<Record<Act, (asked: Asked) => Promise<StoreWebhooks>>> = {
  apply: async asked => bring(asked, (await secretOf(asked)) ?? newSecret()),
  rotate: asked => bring(asked, newSecret()),
  list,
  remove,
}

const secretOf = async ({ destination, store }: Asked): Promise<string | undefined> =>
  (await destination.hookAddresses.all()).find(one => one.store === store)?.secret

/** The receiver knows the address before the API does: no event finds it closed. */
async function bring(asked: Asked, secret: string): Promise<StoreWebhooks> {
  const { destination, publicUrl, store, api, signal } = asked
  await destination.hookAddresses.keep({ store, secret })
  const url = urlOf(publicUrl, { store, secret })
  const wanted = { store, publicUrl, url, types: HINTED_TYPES }
  return { store, url, registrations: await applyRegistrations(api, wanted, signal) }
}

/** As the API has them: those at another address of ours are `changed` by the next apply. */
async function list(asked: Asked): Promise<StoreWebhooks> {
  const { publicUrl, store, api } = asked
  const secret = await secretOf(asked)
  const url = secret === undefined ? undefined : urlOf(publicUrl, { store, secret })
  const all = await readRegistrations(api)
  const plan = planRegistrations(all, { store, publicUrl, url, types: HINTED_TYPES })
  const registrations = plan.filter(({ state }) => state !== 'created')
  return { store, url: url ?? null, registrations }
}

/** The API first: from then on nothing comes, and the address may go. */
async function remove({ destination, publicUrl, store, api, signal }: Asked) {
  const wanted = { store, publicUrl, url: undefined, types: HINTED_TYPES }
  const registrations = await applyRegistrations(api, wanted, signal)
  await destination.hookAddresses.forget(store)
  return { store, url: null, registrations }
}

/** Addresses of others may hold secrets of theirs. */
const mask = ({ store, url, registrations }: StoreWebhooks, publicUrl: string): StoreWebhooks => ({
  store,
  url: url === null ? null : maskedUrlOf(publicUrl, store),
  registrations: registrations.map(one => ({
    ...one,
    url: one.state === 'foreign' ? hostOf(one.url) : maskedUrlOf(publicUrl, store),
  })),
})

const hostOf = (url: string): string => `${URL.parse(url)?.origin ?? ''}/...`

function describe(stores: readonly StoreWebhooks[]): string {
  const rows = stores.flatMap(({ store, registrations }) =>
    registrations.map(({ type = 'all', url, state }) => [store, type, state, url]),
  )
  return rows.length === 0
    ? 'the API has no registrations'
    : formatTable(['store', 'type', 'state', 'address'], rows)
}

const secret = option('--show-secret', 'show the whole address, which is a secret')

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'apply',
      does: "makes the API's registrations for our address equal to tillage.yaml",
      command: declareCommand<WebhooksOptions>({
        audited: ({ store }) => ({ store }),
        run: run('apply'),
      }),
    },
    {
      name: 'list',
      does: 'lists which events the API tells of, and where',
      command: declareCommand<WebhooksOptions>({
        options: [secret],
        audited: ({ store, showSecret }) =>
          showSecret === true ? { store, showSecret } : undefined,
        run: run('list'),
      }),
    },
    {
      name: 'remove',
      does: 'takes our registrations out of the API',
      command: declareCommand<WebhooksOptions>({
        audited: ({ store }) => ({ store }),
        run: run('remove'),
      }),
    },
    {
      name: 'rotate',
      does: 'registers a new address and closes the old one',
      command: declareCommand<WebhooksOptions>({
        audited: ({ store }) => ({ store }),
        run: run('rotate'),
      }),
    },
  ],
}
