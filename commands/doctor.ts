import { refuseSameKeys } from '../activities/judge-identity.ts'
import type { StoreConfig } from '../config.ts'
import { openDestination } from '../connectors/database.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import { createPartnerClient } from '../connectors/partner/client.ts'
import { createGovernor } from '../connectors/partner/governor.ts'
import type { ProbeRequest } from '../connectors/partner/probe.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { withRetries } from '../connectors/partner/with-retries.ts'
import type { Retries } from '../connectors/partner/with-retries.ts'
import { UsageError } from '../errors.ts'
import { chooseStores } from './choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { diagnoseStore } from './diagnose-store.ts'
import type { Diagnosis } from './diagnose-store.ts'
import { doctorDatabase } from './doctor-database.ts'
import { errorAsJson, formatError, formatTable } from './terminal.ts'
import { findWidePaths } from './wide-paths.ts'
import type { WidePath } from './wide-paths.ts'

/** What an API says that is only busy. */
const BUSY = ['PARTNER_RATE_LIMIT', 'PARTNER_UNAVAILABLE']

/** A question about how the API behaves must not take a moment for an answer. */
const RETRIES: Omit<Retries, 'signal'> = {
  isPassing: ({ code }) => BUSY.includes(code),
  pausesMs: [500, 1000, 2000],
  longestPauseMs: 10_000,
}

/**
 * `tillage doctor`: keys, identity, permissions and how each list of the API really behaves. Only
 * reads. 1 if a store cannot be worked with, 3 if counts cannot be sent back.
 */
export async function doctor(
  context: Context,
  { store: only }: { store?: string },
): Promise<number> {
  const { config, terminal } = context
  const destination = await openDestination(config.database, streams)
  try {
    const chosen = chooseStores(config, only)
    const diagnoses: Diagnosis[] = []
    for (const store of config.stores.filter(({ id }) => chosen.includes(id)))
      diagnoses.push(await diagnose(context, store, destination))
    const openToOthers = findWidePaths(config)
    for (const { path, mode } of openToOthers)
      terminal.log(
        `${path} is open to other users of this machine (${mode}): chmod go-rwx "${path}"`,
      )
    terminal.print(
      terminal.json
        ? asJson(openToOthers, diagnoses)
        : diagnoses.map(describeDiagnosis).join('\n\n'),
    )
    if (diagnoses.some(({ trouble }) => trouble !== undefined)) return 1
    return diagnoses.some(({ mayReconcile }) => mayReconcile === false) ? 3 : 0
  } finally {
    await destination.close()
  }
}

async function diagnose(
  { config, terminal, signal }: Context,
  store: StoreConfig,
  destination: Destination,
): Promise<Diagnosis> {
  refuseSameKeys(store, config.stores)
  const client = createPartnerClient(store)
  const governor = createGovernor(store.limits)
  const ask: ProbeRequest = (path, query) =>
    withRetries(() => governor.run(() => client.get(path, query, signal)), { ...RETRIES, signal })
  try {
    const { progress } = terminal
    const configured = config.stores.map(({ id }) => id)
    const { clock } = client
    return await diagnoseStore(store, { ask, clock, destination, configured, progress })
  } finally {
    await client.close()
  }
}

const asJson = (openToOthers: readonly WidePath[], diagnoses: readonly Diagnosis[]): string =>
  JSON.stringify({
    openToOthers,
    stores: diagnoses.map(({ trouble, ...rest }) => ({
      ...rest,
      missingPermissions: rest.mayReconcile === false ? ['PERFORM_RECONCILIATION'] : [],
      error: trouble === undefined ? null : errorAsJson(trouble),
    })),
  })

/** The most telling first; `--json` has all of it, with the evidence. */
const COLUMNS = [
  'offered',
  'page cap',
  'sort order',
  'offset parameter',
  'envelope',
  'end of a range',
  'zone of days',
]

function describeDiagnosis({ store, identity, facts, ...rest }: Diagnosis): string {
  const changed = facts.filter(({ was }) => was !== undefined)
  return [
    `${store}: ${identity === undefined ? 'not identified' : describeIdentity(identity)}`,
    rest.trouble === undefined
      ? `keys are good; PERFORM_RECONCILIATION: ${describePermission(rest.mayReconcile)}`
      : formatError(rest.trouble),
    ...facts
      .filter(({ stream }) => stream === '')
      .map(({ name, value, evidence }) => `${name}: ${value} (${evidence})`),
    ...describeLists(facts),
    ...changed.map(
      ({ stream, name, value, was }) => `changed: ${stream} ${name} is ${value}, was ${was}`,
    ),
  ].join('\n')
}

const describeIdentity = ({ name, companyId, shopId, timeZone }: StoreInfo): string =>
  [
    name ?? 'a store without a name',
    `company ${companyId ?? '?'}`,
    `shop ${shopId ?? '?'}`,
    `zone ${timeZone ?? 'not told'}`,
  ].join(', ')

function describePermission(mayReconcile: boolean | undefined): string {
  if (mayReconcile === undefined) return 'the API does not say'
  return mayReconcile
    ? 'yes'
    : 'no: counts cannot be sent back with this partner key; ask the platform for the permission (all else works without it)'
}

/** How each list behaves, as far as the terminal is wide. */
function describeLists(facts: Diagnosis['facts']): string[] {
  const lists = [...new Set(facts.map(({ stream }) => stream))].filter(stream => stream !== '')
  if (lists.length === 0) return []
  const cell = (stream: string, column: string): string =>
    facts.find(fact => fact.stream === stream && fact.name === column)?.value ?? ''
  const rows = lists.map(stream => [stream, ...COLUMNS.map(column => cell(stream, column))])
  return ['', formatTable(['list', ...COLUMNS], rows, { minor: COLUMNS.slice(3).toReversed() })]
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
