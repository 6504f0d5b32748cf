import {
  chooseZone,
  refuseOtherStore,
  refuseSameKeys,
  shopIsHereAs,
} from '../activities/judge-identity.ts'
import { dayOf, dayStart } from '../calendar/clock.ts'
import { addDays } from '../calendar/days.ts'
import type { StoreConfig } from '../config.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import { isSameShop } from '../connectors/destination/stores.ts'
import type { ApiClock } from '../connectors/partner/api-clock.ts'
import type { Fact } from '../connectors/partner/behaviour.ts'
import { createPartnerClient } from '../connectors/partner/client.ts'
import { createGovernor } from '../connectors/partner/governor.ts'
import { probeErrors, probeList } from '../connectors/partner/probe.ts'
import type { Ask } from '../connectors/partner/probe.ts'
import { parseStoreInfo, STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { dailyStreams, streams } from '../connectors/partner/streams/index.ts'
import { openDestination } from '../connectors/sqlite/destination.ts'
import { PartnerError, TillageError, UsageError } from '../errors.ts'
import { skewFact } from '../reading/api-time.ts'
import { chooseStores } from './choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { doctorDatabase } from './doctor-database.ts'
import { errorAsJson, formatError, formatTable } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { findWidePaths } from './wide-paths.ts'

interface Diagnosis {
  store: string
  identity: StoreInfo | undefined
  /** Of the two that a partner key can have here; undefined if the API does not say. */
  mayReconcile: boolean | undefined
  facts: (Fact & { stream: string; was?: string })[]
  trouble: TillageError | undefined
}

/**
 * `tillage doctor`: keys, identity, permissions and how each list of the API really behaves. Only
 * reads. 1 if a store cannot be worked with, 3 if counts cannot be sent back.
 */
export async function doctor(
  { config, terminal, signal }: Context,
  { store: only }: { store?: string },
): Promise<number> {
  const destination = await openDestination(config.database, streams)
  try {
    const diagnoses: Diagnosis[] = []
    for (const id of chooseStores(config, only)) {
      const store = config.stores.find(candidate => candidate.id === id)!
      const client = createPartnerClient(store)
      const governor = createGovernor(store.limits)
      const ask: Ask = (path, query) => governor.run(() => client.get(path, query, signal))
      try {
        refuseSameKeys(store, config.stores)
        const api = { ask, clock: client.clock, configured: config.stores.map(({ id }) => id) }
        diagnoses.push(await diagnose(store, api, destination, terminal))
      } finally {
        await client.close()
      }
    }
    const openToOthers = findWidePaths(config)
    for (const { path, mode } of openToOthers)
      terminal.log(
        `${path} is open to other users of this machine (${mode}): chmod go-rwx "${path}"`,
      )
    terminal.print(
      terminal.json
        ? JSON.stringify({
            openToOthers,
            stores: diagnoses.map(({ trouble, ...rest }) => ({
              ...rest,
              missingPermissions: rest.mayReconcile === false ? ['PERFORM_RECONCILIATION'] : [],
              error: trouble === undefined ? null : errorAsJson(trouble),
            })),
          })
        : diagnoses.map(describe).join('\n\n'),
    )
    if (diagnoses.some(({ trouble }) => trouble !== undefined)) return 1
    return diagnoses.some(({ mayReconcile: may }) => may === false) ? 3 : 0
  } finally {
    await destination.close()
  }
}

async function diagnose(
  store: StoreConfig,
  { ask, clock, configured }: { ask: Ask; clock: ApiClock; configured: readonly string[] },
  { rows, behaviours, stores }: Destination,
  terminal: Terminal,
): Promise<Diagnosis> {
  const facts: Diagnosis['facts'] = []
  let identity: StoreInfo | undefined
  try {
    identity = parseStoreInfo((await ask(STORE_PATH, {})).toString('utf8'))
    refuseOtherStore(store, identity)
    await refuseTwin(store, identity, stores, configured)
    const timeZone = chooseZone({
      id: store.id,
      configured: store.timeZone,
      isRight: store.timeZoneIsRight,
      answered: identity.timeZone,
      known: undefined,
      nowMs: Date.now(),
    })
    const skew = skewFact(clock.skewMs())
    if (skew !== undefined) facts.push(skew)
    facts.push({ stream: '', ...(await probeErrors(ask)) })
    for (const stream of dailyStreams) {
      terminal.progress(`${store.id}: asking ${stream.path}`)
      // Where we hold rows, the newest day that has some is asked about; else the last days up to
      // now.
      const newestMs =
        stream.windowing === 'full-refresh'
          ? 0
          : ((await rows.newestModified(store.id, stream)) ?? Date.now())
      const around = {
        startMs: dayStart(addDays(dayOf(newestMs, timeZone), -3), timeZone),
        endMs: newestMs + 1,
      }
      for (const fact of await probeList(ask, stream, around, timeZone))
        facts.push({ stream: stream.name, ...fact })
    }
    const known = await behaviours.of(store.id)
    await behaviours.keep(
      store.id,
      facts.map(fact => ({ ...fact, seenAt: new Date().toISOString() })),
    )
    for (const fact of facts) {
      const before = known.find(({ stream, name }) => stream === fact.stream && name === fact.name)
      if (before !== undefined && fact.value !== 'unknown' && before.value !== fact.value)
        fact.was = before.value
    }
    return {
      store: store.id,
      identity,
      mayReconcile: await mayReconcile(ask),
      facts,
      trouble: undefined,
    }
  } catch (error) {
    if (!(error instanceof TillageError)) throw error
    return { store: store.id, identity, mayReconcile: undefined, facts, trouble: error }
  }
}

/** The shop is in the database under another id, too. */
async function refuseTwin(
  { id, baseUrl }: StoreConfig,
  { shopId, companyId }: StoreInfo,
  stores: Destination['stores'],
  configured: readonly string[],
): Promise<void> {
  const twin = (await stores.all()).find(other =>
    isSameShop({ id, baseUrl, shopId, companyId }, other),
  )
  if (twin !== undefined) throw shopIsHereAs(id, twin, configured)
}

/** The one permission that the documentation names (Authentication, rule 7). */
async function mayReconcile(ask: Ask): Promise<boolean | undefined> {
  try {
    await ask('/api/v1/partner/reconciliations', { limit: '1' })
    return true
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error
    return error.code === 'PARTNER_PERMISSION' ? false : undefined
  }
}

/** What fits a terminal; `--json` has all of it, with the evidence. */
const COLUMNS = [
  'offered',
  'page cap',
  'offset parameter',
  'sort order',
  'end of a range',
  'zone of days',
  'envelope',
]

function describe({ store, identity, mayReconcile: may, facts, trouble }: Diagnosis): string {
  const lists = [...new Set(facts.map(({ stream }) => stream))].filter(stream => stream !== '')
  const cell = (stream: string, name: string): string =>
    facts.find(fact => fact.stream === stream && fact.name === name)?.value ?? ''
  return [
    `${store}: ${identity === undefined ? 'not identified' : `${identity.name ?? 'a store without a name'}, company ${identity.companyId ?? '?'}, shop ${identity.shopId ?? '?'}, zone ${identity.timeZone ?? 'not told'}`}`,
    ...(trouble === undefined
      ? [
          `keys are good; PERFORM_RECONCILIATION: ${may === undefined ? 'the API does not say' : may ? 'yes' : 'no: counts cannot be sent back with this partner key; ask the platform for the permission (all else works without it)'}`,
        ]
      : [formatError(trouble)]),
    ...facts
      .filter(({ stream }) => stream === '')
      .map(({ name, value, evidence }) => `${name}: ${value} (${evidence})`),
    ...(lists.length === 0
      ? []
      : [
          '',
          formatTable(
            ['list', ...COLUMNS],
            lists.map(stream => [stream, ...COLUMNS.map(name => cell(stream, name))]),
          ),
        ]),
    ...facts
      .filter(({ was }) => was !== undefined)
      .map(({ stream, name, value, was }) => `changed: ${stream} ${name} is ${value}, was ${was}`),
  ].join('\n')
}

export const command = declareCommand({
  options: [option('--database', 'only the database: every page, for damage; asks no API')],
  run: async (context: Context, options: { store?: string; database?: boolean }) => {
    if (options.database !== true) return doctor(context, options)
    if (options.store !== undefined)
      throw new UsageError('a database is looked at as a whole', 'Leave out --store.')
    return doctorDatabase(context)
  },
})
