import { toMinute } from '../../calendar/days.ts'
import { countOf } from '../../commands/terminal/number.ts'
import type { Config } from '../../config.ts'
import type { KnownAttempt } from '../../connectors/destination/attempts.ts'
import type { KnownFact } from '../../connectors/destination/behaviours.ts'
import type { Freshness } from '../../connectors/destination/hints.ts'
import type { Program } from '../../connectors/destination/programs.ts'
import { keptPace } from '../../connectors/partner/pace.ts'
import { placeOf } from '../../connectors/server-address.ts'
import { html } from '../../documents/html.ts'
import { runningPrograms } from '../../standing/running-programs.ts'
import { VERSION } from '../../version.ts'
import { maskedUrlOf } from '../../webhooks/address.ts'
import { HINTED_TYPES } from '../../webhooks/event.ts'
import { actionForms } from '../actions/form.ts'
import type { PagePlace, ShowPage } from '../page.ts'
import { chosenStores, storeFilter } from '../parts/chosen.ts'
import type { DataTable } from '../parts/data-table.ts'
import { factList } from '../parts/facts.ts'
import { filterForm } from '../parts/filter-form.ts'
import { statusCell } from '../parts/status.ts'

interface KnownConnection {
  store: string
  baseUrl: string
  limits: Config['stores'][number]['limits']
  attempt: KnownAttempt | undefined
  facts: KnownFact[]
}

/** The APIs, their events, and the programs that work with this database. */
export const showConnections: ShowPage = async (place, request) => {
  const { named, stores } = chosenStores(request)
  const known = await connectionsOf(place, stores)
  const failing = known.filter(({ attempt }) => attempt?.outcome === 'failed')
  const addresses = await place.database.hookAddresses.all()
  const programs = runningPrograms(await place.database.programs.all())
  return {
    title: 'Connections',
    sentence:
      failing.length === 0
        ? `Nothing is known to be wrong with ${known.length === 1 ? 'the connection' : `any of ${countOf(known.length, 'connection')}`}.`
        : `${failing.map(({ store }) => store).join(', ')} could not be read at the last attempt: ${failing[0]!.attempt!.code}.`,
    timeZone: 'UTC',
    parts: [
      filterForm('/connections', [storeFilter(request, named)]),
      storesTable(known),
      pacesTable(known),
      hooksTable(place, stores, addresses),
      eventsTable(await place.database.freshness(), place.config.webhooks?.publicUrl, stores),
      ...(stores.length === 1
        ? [actionForms(request, actionsOf(place, stores[0]!, addresses))]
        : [CHOOSE]),
      factList('This installation', [
        ['version', VERSION],
        ['database', placeOf(place.config.database)],
        ['worker', workerText(place)],
        [
          'programs',
          programs.map(programText).join('; ') || 'none has said that it works by these settings',
        ],
      ]),
      factsTable(known),
    ],
    command: named === '' ? 'tillage doctor' : `tillage doctor --store ${named}`,
  }
}

async function connectionsOf(
  { config, database }: PagePlace,
  stores: readonly string[],
): Promise<KnownConnection[]> {
  const all: KnownConnection[] = []
  for (const store of stores) {
    const { baseUrl, limits } = config.stores.find(({ id }) => id === store)!
    all.push({
      store,
      baseUrl,
      limits,
      attempt: await database.attempts.last(store),
      facts: await database.behaviours.of(store),
    })
  }
  return all
}

const storesTable = (known: readonly KnownConnection[]): DataTable => ({
  id: 'stores',
  title: 'Stores',
  columns: [
    { name: 'store' },
    { name: 'API' },
    { name: 'last attempt' },
    { name: 'when (UTC)' },
    { name: 'why' },
  ],
  rows: known.map(({ store, baseUrl, attempt }) => [
    store,
    baseUrl,
    attempt === undefined
      ? statusCell('never read')
      : statusCell(attempt.outcome === 'failed' ? 'failed' : 'done', attempt.outcome),
    attempt === undefined ? '' : toMinute(attempt.at),
    attempt?.outcome === 'failed' ? `${attempt.code}: ${attempt.detail}` : '',
  ]),
  empty: 'No store is in the settings.',
})

/** What a key may be asked at once, and what its API has taken without refusing. */
const pacesTable = (known: readonly KnownConnection[]): DataTable => ({
  id: 'paces',
  title: 'Pace of each key',
  columns: [
    { name: 'store' },
    { name: 'learned (requests a second)', kind: 'number' },
    { name: 'when (UTC)' },
    { name: 'ceiling (requests a second)', kind: 'number' },
    { name: 'at once', kind: 'number' },
  ],
  rows: known.map(({ store, limits, facts }) => {
    const pace = keptPace(facts)
    return [
      store,
      pace?.value ?? 'was never refused',
      pace === undefined ? '' : toMinute(pace.seenAt),
      Number.isFinite(limits.requestsPerSecond) ? limits.requestsPerSecond : 'none',
      limits.concurrency,
    ]
  }),
  empty: 'No store is in the settings.',
})

/** What we have told each API to tell us, as far as this database knows. */
const hooksTable = (
  { config: { webhooks } }: PagePlace,
  stores: readonly string[],
  addresses: readonly { store: string }[],
): DataTable => ({
  id: 'registrations',
  title: 'Webhooks that were registered',
  columns: [{ name: 'store' }, { name: 'address' }, { name: 'tells of' }],
  rows:
    webhooks === undefined
      ? []
      : addresses
          .filter(({ store }) => stores.includes(store))
          .map(({ store }) => [
            store,
            maskedUrlOf(webhooks.publicUrl, store),
            HINTED_TYPES.join(', '),
          ]),
  empty: 'None: tillage webhooks apply registers them, where webhooks: is in tillage.yaml.',
})

const actionsOf = ({ config }: PagePlace, store: string, addresses: readonly { store: string }[]) =>
  [
    'look-at-api',
    ...(config.webhooks === undefined ? [] : ['list-webhooks', 'apply-webhooks']),
    ...(config.webhooks !== undefined && addresses.some(one => one.store === store)
      ? ['rotate-webhooks', 'remove-webhooks']
      : []),
  ].map(name => [name, { store }] as const)

const CHOOSE = html`<p class="below">Choose a store to ask its API.</p>`

const eventsTable = (
  freshness: readonly Freshness[],
  publicUrl: string | undefined,
  stores: readonly string[],
): DataTable => ({
  id: 'events',
  title: 'Events of the APIs',
  columns: [
    { name: 'store' },
    { name: 'list' },
    { name: 'address' },
    { name: 'last event (UTC)' },
    { name: 'read for it (UTC)' },
    { name: 'now' },
  ],
  rows: freshness
    .filter(({ store }) => stores.includes(store))
    .map(one => [
      one.store,
      one.stream,
      publicUrl === undefined ? '' : maskedUrlOf(publicUrl, one.store),
      minuteOf(one.lastHintMs),
      one.lastReadMs === undefined ? '' : minuteOf(one.lastReadMs),
      one.waitingSinceMs === undefined
        ? statusCell('done', 'up to date')
        : statusCell('running', 'waits to be read'),
    ]),
  empty:
    publicUrl === undefined
      ? 'The APIs tell nobody of their changes: webhooks: in tillage.yaml lets them.'
      : 'No event has come yet.',
})

const minuteOf = (ms: number): string => toMinute(new Date(ms).toISOString())

const factsTable = (known: readonly KnownConnection[]): DataTable => ({
  id: 'behaviour',
  title: 'What the APIs do where their documentation is silent',
  columns: [
    { name: 'store' },
    { name: 'list' },
    { name: 'what' },
    { name: 'is' },
    { name: 'seen (UTC)', kind: 'time' },
    { name: 'evidence' },
  ],
  rows: known.flatMap(({ store, facts }) =>
    facts.map(({ stream, name, value, seenAt, evidence }) => [
      store,
      stream,
      name,
      value,
      toMinute(seenAt),
      evidence,
    ]),
  ),
  empty: 'Nobody has asked yet: tillage doctor finds out.',
})

function workerText({ worker }: PagePlace): string {
  if (worker.isUp === undefined)
    return worker.problem === undefined ? 'nobody knows yet' : `nobody knows: ${worker.problem}`
  return worker.isUp ? 'up' : 'none is up'
}

const programText = ({ machine, pid, at, problem }: Program): string =>
  `process ${pid} at ${machine} since ${toMinute(at)} UTC` +
  (problem === undefined ? '' : `, which could not take up the settings: ${problem}`)
