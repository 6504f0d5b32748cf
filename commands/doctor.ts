import { refuseSameKeys } from '../activities/judge-identity.ts'
import { bookedStream } from '../books/order-journal.ts'
import type { Config, StoreConfig } from '../config.ts'
import { openDestination, openReadOnly, refuseUnfit } from '../connectors/database.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import { knownPace } from '../connectors/partner/pace.ts'
import type { ProbeRequest } from '../connectors/partner/probe.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { withRetries } from '../connectors/partner/with-retries.ts'
import type { Retries } from '../connectors/partner/with-retries.ts'
import { openStore } from '../connectors/store/open-store.ts'
import { UsageError } from '../errors.ts'
import type { TillageError } from '../errors.ts'
import { describeEarlyNights } from '../schedules/early-nights.ts'
import { chooseStores } from './arguments/choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { describeBucket, diagnoseBucket } from './doctor/bucket.ts'
import type { BucketDiagnosis } from './doctor/bucket.ts'
import { doctorDatabase } from './doctor/database.ts'
import { describeDiagnosis } from './doctor/describe-diagnosis.ts'
import { diagnoseStore } from './doctor/diagnose-store.ts'
import type { Diagnosis } from './doctor/diagnose-store.ts'
import { adviseOnServers, describeServers, readServers } from './doctor/servers.ts'
import type { Servers } from './doctor/servers.ts'
import { findWidePaths } from './doctor/wide-paths.ts'
import type { WidePath } from './doctor/wide-paths.ts'
import { errorAsJson, formatError } from './terminal/error.ts'
import { fold } from './terminal/started-as.ts'

/** What an API says that is only busy. */
const BUSY = ['PARTNER_RATE_LIMIT', 'PARTNER_UNAVAILABLE']

/** A question about how the API behaves must not take a moment for an answer. */
const RETRIES: Omit<Retries, 'signal'> = {
  isPassing: ({ code }) => BUSY.includes(code),
  pausesMs: [500, 1000, 2000],
  longestPauseMs: 10_000,
}

/**
 * `tillage doctor`: keys, identity, permissions and how each list of the API really behaves; of a
 * bucket whether exports can be given out there. Only reads the API. 1 if a store or the bucket
 * cannot be worked with, 3 if counts cannot be sent back.
 */
export async function doctor(
  context: Context,
  { store: only }: { store?: string },
): Promise<number> {
  const { config, terminal } = context
  await refuseUnfit(config.database)
  await using destination = await openDestination(config, streams)
  const chosen = chooseStores(config, only)
  const diagnoses: Diagnosis[] = []
  for (const store of config.stores.filter(({ id }) => chosen.includes(id)))
    diagnoses.push(await diagnose(context, store, destination))
  const openToOthers = findWidePaths(config)
  const servers = await readServers(config)
  for (const line of adviceOn(config, openToOthers, servers)) terminal.log(line)
  const bucket = await diagnoseBucket(config)
  const about = describeServers(servers).map(fold).join('\n')
  terminal.print(
    terminal.json
      ? asJson(openToOthers, { servers, bucket }, diagnoses)
      : [about, ...diagnoses.map(describeDiagnosis), describeBucket(bucket)]
          .filter(text => text !== '')
          .join('\n\n'),
  )
  if (servers.trouble !== null || bucket?.trouble !== undefined) return 1
  if (diagnoses.some(({ trouble }) => trouble !== undefined)) return 1
  return diagnoses.some(({ mayReconcile }) => mayReconcile === false) ? 3 : 0
}

async function diagnose(
  { config, terminal, signal }: Context,
  store: StoreConfig,
  destination: Destination,
): Promise<Diagnosis> {
  refuseSameKeys(store, config.stores)
  const facts = await destination.behaviours.of(store.id)
  const knownPerSecond = knownPace(facts, Date.now())
  const { client, governor } = openStore(
    { ...store, limits: { ...store.limits, knownPerSecond } },
    {
      shops: destination.stores,
      shares: destination.keyShares,
      configured: config.stores.map(({ id }) => id),
    },
  )
  const ask: ProbeRequest = (path, query) =>
    withRetries(() => governor.run(() => client.get(path, query, signal)), { ...RETRIES, signal })
  try {
    const { progress } = terminal
    const { clock } = client
    return await diagnoseStore(store, { ask, clock, destination, progress })
  } finally {
    await client.close()
  }
}

/** What to do beside the stores. */
const adviceOn = (config: Config, wide: readonly WidePath[], servers: Servers): string[] => [
  ...wide.map(
    ({ path, mode }) =>
      `${path} is open to other users of this machine (${mode}): chmod go-rwx "${path}"`,
  ),
  ...describeEarlyNights(config),
  ...adviseOnServers(servers),
  ...(servers.trouble === null ? [] : [formatError(servers.trouble)]),
]

const asJson = (
  openToOthers: readonly WidePath[],
  { servers, bucket }: { servers: Servers; bucket: BucketDiagnosis | undefined },
  diagnoses: readonly Diagnosis[],
): string => {
  const { database, temporal, trouble: unreachable } = servers
  return JSON.stringify({
    openToOthers,
    database,
    temporal: unreachable === null ? temporal : { error: errorAsJson(unreachable) },
    ...bucketAsJson(bucket),
    stores: diagnoses.map(({ trouble, ...rest }) => ({
      ...rest,
      missingPermissions: rest.mayReconcile === false ? ['PERFORM_RECONCILIATION'] : [],
      error: errorOf(trouble),
    })),
  })
}

const errorOf = (trouble: TillageError | undefined): object | null =>
  trouble === undefined ? null : errorAsJson(trouble)

const bucketAsJson = (bucket: BucketDiagnosis | undefined): object =>
  bucket === undefined ? {} : { bucket: { url: bucket.url, error: errorOf(bucket.trouble) } }

/** What to type now, where the stores can be worked with. */
async function adviseNext({ config, terminal }: Context, status: number): Promise<number> {
  if (terminal.json || status === 1) return status
  await using database = await openReadOnly(config, streams)
  const read = await Promise.all(
    config.stores.map(({ id }) => database.ledger.lastReadAt(id, bookedStream().name)),
  )
  const isRead = read.every(at => at !== undefined)
  terminal.log(`\nNext: ${isRead ? 'tillage status' : 'tillage sync'}`)
  return status
}

export const command = declareCommand({
  options: [option('--database', 'only check the database for damage; does not call the API')],
  run: async (context: Context, options: { store?: string; database?: boolean }) => {
    if (options.database !== true) return adviseNext(context, await doctor(context, options))
    if (options.store !== undefined)
      throw new UsageError('a database is looked at as a whole', 'Leave out --store.')
    return doctorDatabase(context)
  },
})
