import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Client } from '@temporalio/client'
import type * as TemporalWorker from '@temporalio/worker'
import type { WorkerOptions } from '@temporalio/worker'
import type { Writing } from './activities/apply-plan.ts'
import { createPush } from './activities/create-push.ts'
import type { PushPlace } from './activities/create-push.ts'
import { createDependencies } from './activities/dependencies.ts'
import type { StoreSettings } from './activities/dependencies.ts'
import { identifyStore } from './activities/identify-store.ts'
import {
  HEARTBEAT_OF_WRITES_MS,
  createActivities,
  createWriteActivities,
} from './activities/index.ts'
import { openStoreApi } from './audit/store-api.ts'
import { makeScheduledBackup } from './backup/scheduled-backup.ts'
import { bringKnown, sayMissing } from './books/bring-exports.ts'
import { lookUpReferences, unknownReferences } from './books/look-up-references.ts'
import type { ReferencePlace } from './books/look-up-references.ts'
import { createDayFilesWriter } from './books/write-day-files.ts'
import { closeAll, closing } from './closing.ts'
import type { Config } from './config.ts'
import {
  checkAfterUncleanEnd,
  openDestination,
  openOutboundStore,
  openPushMemory,
} from './connectors/database.ts'
import { offsetParameters } from './connectors/destination/behaviours.ts'
import type { Destination } from './connectors/destination/destination.ts'
import { largestLimits } from './connectors/partner/largest-limit.ts'
import { knownPace } from './connectors/partner/pace.ts'
import { streams } from './connectors/partner/streams/index.ts'
import { placeOf } from './connectors/server-address.ts'
import { currencyOf } from './money/currency.ts'
import { givingLog } from './objects/give-folder.ts'
import { targetOf } from './outbound/target.ts'
import type { Reconciling } from './reconcile/reconciling.ts'
import { orderFinder } from './schedules/orders.ts'
import { connectTemporal } from './temporal/connect.ts'
import type { ConnectedTemporal } from './temporal/connect.ts'
import { currentRelease, deploymentOf, makeCurrent, ofDeployment } from './temporal/deployment.ts'
import { openConnection, reach } from './temporal/open-connection.ts'
import { createPayloadCodec, interceptors, messageProtection } from './temporal/payload-codec.ts'
import type { MessageProtection, OnRefused } from './temporal/payload-codec.ts'
import { hasSearchAttributes } from './temporal/search-attributes.ts'
import { createServingWorkers, drainIn } from './temporal/serve-workers.ts'
import type { Connected, RunningWorker } from './temporal/session.ts'
import { temporalSettings } from './temporal/settings.ts'
import { endLeftWork } from './temporal/take-over.ts'
import { thisProcess } from './temporal/this-process.ts'
import { identityOf, refuseOtherCopy, taskQueueOf } from './temporal/work-place.ts'
import { findWorkflowCode } from './temporal/workflow-code.ts'
import { exportsQueue, writesQueue } from './workflows/ids.ts'

interface Opened extends Connected {
  temporal: ConnectedTemporal
  protection: MessageProtection
  /** Steps of `close`, undone from the last to the first. */
  undo: (() => Promise<void>)[]
}

/** What a process takes of the work; writes to the API are taken up by `carryOutWrites`. */
export type Duty = 'read' | 'export'

/** How to start. */
export interface StartOptions {
  /** Default: all of it. */
  duties?: readonly Duty[]
  /** How long what is under way may take when it is stopped, until it is handed over. */
  drainMs?: number
  webUi?: boolean
  /** Serves the SDK's own series to this machine. */
  metrics?: boolean
  /** The server, where somebody began to start it before the rest of the program was loaded. */
  temporal?: Promise<ConnectedTemporal>
}

/** Configuration -> dependencies and a client, for commands that only tell Temporal what to do. */
export const connect = (config: Config, progress: (line: string) => void): Promise<Connected> =>
  open(config, progress)

/** The server starts while the database is opened, and ends after it was closed. */
async function open(
  config: Config,
  progress: (line: string) => void,
  { webUi, temporal: begun }: StartOptions = {},
): Promise<Opened> {
  requireUtc()
  const starting = begun ?? connectTemporal(temporalSettings(config, webUi), progress)
  // The error surfaces at the await.
  starting.catch(() => {})
  const undo: (() => Promise<void>)[] = [async () => (await starting).close()]
  const close = (): Promise<void> => closeAll(undo)
  try {
    const dependencies = await openDependencies(config, progress)
    undo.push(() => dependencies.close())
    const place = await openPushPlace(config, undo)
    const temporal = await starting
    const protection = await messageProtection(config)
    const client = await openClient(temporal, protection)
    undo.push(() => client.connection.close())
    return closing({
      client,
      taskQueue: taskQueueOf(await dependencies.destination.identity.id()),
      hasSearchAttributes: await reach(temporal.address, () => hasSearchAttributes(client)),
      dependencies,
      push: createPush(place, dependencies),
      temporalAddress: temporal.address,
      webUi: temporal.webUi,
      say: progress,
      temporal,
      protection,
      undo,
      close,
    })
  } catch (error) {
    // Why it did not start counts, not what its end adds.
    await close().catch(() => {})
    throw error
  }
}

async function openClient(
  { address, namespace, connectionOptions }: ConnectedTemporal,
  protection: MessageProtection,
): Promise<Client> {
  const connection = await reach(address, () => openConnection(connectionOptions))
  const payloadCodecs = [createPayloadCodec(protection)]
  return new Client({ connection, namespace, dataConverter: { payloadCodecs } })
}

async function openDependencies(
  config: Config,
  progress: (line: string) => void,
): Promise<Connected['dependencies']> {
  await checkAfterUncleanEnd(config.database, () =>
    progress(`the last run did not end in order: checking ${placeOf(config.database)}`),
  )
  const destination = await openDestination(config, streams)
  const stores = await storesOf(config, destination)
  const writer = createDayFilesWriter(config, destination, async (store, day, signal) => {
    const endpoint: ReferencePlace['endpoint'] = (id, stream) =>
      dependencies.store(id).endpoint(stream)
    const unknown = await unknownReferences(destination, store, day)
    return lookUpReferences({ destination, endpoint, signal }, store, unknown)
  })
  const dependencies = createDependencies(destination, streams, stores, writer)
  dependencies.findOrder = orderFinder(config)
  dependencies.notify = config.notify
  const { backup } = config
  if (backup !== undefined) dependencies.makeBackup = at => makeScheduledBackup(config, backup, at)
  return dependencies
}

/** As they are configured, with what their lists were seen to take, and how fast. */
const storesOf = ({ stores }: Config, { behaviours }: Destination): Promise<StoreSettings[]> =>
  Promise.all(
    stores.map(async store => {
      const facts = await behaviours.of(store.id)
      const learned = { offsets: offsetParameters(facts), pageLimits: largestLimits(facts) }
      const limits = { ...store.limits, knownPerSecond: knownPace(facts, Date.now()) }
      return { ...store, timeZone: store.timeZone, limits, ...learned }
    }),
  )

/** Compared by name: London has the offset of UTC in winter, too. */
function requireUtc(): void {
  if (Intl.DateTimeFormat().resolvedOptions().timeZone !== 'UTC')
    throw new Error('Tillage runs in UTC: start it with TZ=UTC')
}

/** What pushes remember, closed with the rest. */
async function openPushPlace(config: Config, undo: (() => Promise<void>)[]): Promise<PushPlace> {
  const { database, localFiles } = config
  const memory = await openPushMemory(database)
  undo.push(() => memory.close())
  const outbound = await openOutboundStore(database)
  undo.push(() => outbound.close())
  const settings = { ...config.push, currencyOf: (store: string) => currencyOf(config, store) }
  return { outbound, memory, localFiles, settings, runner: thisProcess() }
}

/** Writes to the API are recorded on a connection of their own, which is closed with the rest. */
async function reconcilingOf(
  config: Config,
  { dependencies, say }: Connected,
  undo: (() => Promise<void>)[],
): Promise<Reconciling> {
  const { database, exports, objects, reconcile: settings } = config
  const store = givingLog(await openOutboundStore(database), objects)
  undo.push(() => store.close())
  return {
    store,
    async bring() {
      for (const why of await bringKnown(config)) say(sayMissing(why))
    },
    settings,
    exports,
    runner: thisProcess(),
    now: Date.now,
    api: (id, signal) => {
      const { client, governor } = dependencies.store(id)
      return openStoreApi({ id, client, governor }, signal)
    },
    target: async (id, signal) => {
      const identity = await identifyStore(dependencies, { store: id }, signal)
      return targetOf(dependencies.store(id).settings, identity)
    },
  }
}

const writingOf = async (
  config: Config,
  connected: Connected,
  undo: (() => Promise<void>)[],
): Promise<Writing> => ({
  push: connected.push,
  reconciling: await reconcilingOf(config, connected, undo),
  say: connected.say,
})

/** Files and writes: few at a time, and each is long. */
const ROOM_FOR_FEW = {
  maxConcurrentActivityTaskExecutions: 8,
  // A machine that falls asleep is given what it had asked for before, which is lost for ten
  // seconds each time: with more an activity could lose all of its attempts to one sleeper.
  maxConcurrentActivityTaskPolls: 2,
  // As often as they are made: by default they are held back for most of their timeout.
  maxHeartbeatThrottleInterval: HEARTBEAT_OF_WRITES_MS,
} as const

const ROOM_FOR_WORK = {
  ...ROOM_FOR_FEW,
  maxConcurrentActivityTaskExecutions: 32,
  maxCachedWorkflows: 100,
} as const

/** The composition root: configuration -> dependencies -> worker. */
export async function startWorker(
  config: Config,
  progress: (line: string) => void,
  options: StartOptions = {},
): Promise<RunningWorker> {
  const sdkMetrics = options.metrics === true ? await sdkAddress() : undefined
  const opening = open(config, progress, options)
  // Only here: it takes as long to load as a command that needs no worker takes in all.
  const loading = loadTemporalWorker(progress, sdkMetrics)
  // The error surfaces at the await.
  loading.catch(() => {})
  const opened = await opening
  const { temporal, protection: _, undo, ...connected } = opened
  try {
    await checkOthers(connected, config)
    const { NativeConnection, Worker } = await loading
    const native = await reach(temporal.address, () =>
      NativeConnection.connect(temporal.connectionOptions),
    )
    undo.push(() => native.close())
    const { dependencies, taskQueue } = connected
    const writing = await writingOf(config, connected, undo)
    const place = { connection: native, ...commonOf(opened, config) }
    const serving = createServingWorkers(undo)
    const drain = drainIn(options.drainMs)
    const take = async (queue: WorkerOptions): Promise<void> =>
      serving.serve(await Worker.create({ ...place, ...drain, ...queue }))
    const { duties = ['read', 'export'] } = options
    const activities = createActivities(dependencies, writing)
    if (duties.includes('read')) {
      const mine = { workflowBundle: await findWorkflowCode(), activities, ...ROOM_FOR_WORK }
      await take({ taskQueue, ...mine, ...(await joinDeployment(connected, config)) })
    }
    if (duties.includes('export'))
      await take({ taskQueue: exportsQueue(taskQueue), activities, ...ROOM_FOR_FEW })
    const carryOutWrites = (of?: string): Promise<void> =>
      take({
        taskQueue: writesQueue(taskQueue, of),
        activities: createWriteActivities(writing),
        ...ROOM_FOR_FEW,
      })
    return { ...connected, sdkMetrics, stopped: serving.stopped, carryOutWrites }
  } catch (error) {
    await connected.close().catch(() => {})
    throw error
  }
}

/** The first release of all is the current one; every other becomes it when somebody says so. */
async function joinDeployment(
  { client, say, temporalAddress }: Connected,
  config: Config,
): Promise<Pick<WorkerOptions, 'workerDeploymentOptions'>> {
  const deployment = deploymentOf(config)
  if (deployment === undefined) return {}
  const { name, buildId } = deployment
  const current = await reach(temporalAddress, () => currentRelease(client, name))
  if (current === undefined) await makeCurrent(client, deployment)
  else if (current !== buildId)
    say(
      `this is release ${buildId} of ${name}, and new work goes to ${current}, ` +
        `until somebody types tillage worker promote ${buildId}`,
    )
  return ofDeployment(deployment)
}

/** What all workers of this process have in common. */
const commonOf = (opened: Opened, { database }: Config) => ({
  namespace: opened.temporal.namespace,
  identity: identityOf(database),
  dataConverter: { payloadCodecs: [createPayloadCodec(opened.protection, endRefused(opened))] },
  interceptors,
})

/**
 * A workflow that was sent what is not ours would try the same step again and again. It is ended;
 * whoever may write to Temporal may do that, too.
 */
const endRefused =
  ({ client, say }: Connected): OnRefused =>
  (workflowId, why) => {
    say(`MESSAGE_REFUSED: ${workflowId ?? 'a message'} was not obeyed: ${why}`)
    if (workflowId === undefined) return
    void client.workflow
      .getHandle(workflowId)
      .terminate(`MESSAGE_REFUSED: ${why}`)
      .catch(() => {})
  }

/**
 * An embedded server holds the work of this database alone, whatever its queue was called; any
 * other one may have workers of a copy.
 */
async function checkOthers(connected: Connected, config: Config): Promise<void> {
  const { client, taskQueue, say: progress } = connected
  if (config.temporal !== 'embedded') return refuseOtherCopy(client, taskQueue, config.database)
  const left = await endLeftWork(connected)
  if (left.length === 0) return
  const ids = left.map(({ workflowId }) => workflowId).join(', ')
  progress(`ended what waited for a worker of this database under an earlier name: ${ids}`)
}

let installed = false

/** Of this machine alone: whoever asks comes through our page. The SDK is set up once for all. */
let sdkListens: string | undefined

async function sdkAddress(): Promise<string> {
  sdkListens ??= `127.0.0.1:${await freePort()}`
  return sdkListens
}

/** Free just now: the SDK does not say which one it took. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * The SDK's worker. Its own log lines go to stderr from warnings on; signals belong to the command,
 * which closes in order.
 */
async function loadTemporalWorker(
  progress: (line: string) => void,
  bindAddress: string | undefined,
): Promise<typeof TemporalWorker> {
  const temporal = await import('@temporalio/worker')
  if (installed) return temporal
  installed = true
  temporal.Runtime.install({
    shutdownSignals: [],
    logger: new temporal.DefaultLogger('ERROR', entry => progress(`temporal: ${entry.message}`)),
    telemetryOptions: {
      logging: { filter: 'ERROR', forward: {} },
      ...(bindAddress === undefined ? {} : { metrics: { prometheus: { bindAddress } } }),
    },
  })
  return temporal
}
