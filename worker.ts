import { createHash } from 'node:crypto'
import { Client } from '@temporalio/client'
import type * as TemporalWorker from '@temporalio/worker'
import { HEARTBEAT_OF_WRITES_MS } from './activities/boundary.ts'
import { createPush } from './activities/create-push.ts'
import { createDependencies } from './activities/dependencies.ts'
import type { Dependencies, StoreSettings } from './activities/dependencies.ts'
import { createActivities } from './activities/index.ts'
import { openStoreApi } from './audit/store-api.ts'
import { lookUpReferences } from './books/look-up-references.ts'
import type { ReferencePlace } from './books/look-up-references.ts'
import { createDayFilesWriter } from './books/write-day-files.ts'
import type { Config } from './config.ts'
import {
  checkAfterUncleanEnd,
  openDestination,
  openOutboundStore,
  openPushPlace,
} from './connectors/database.ts'
import { offsetParameters } from './connectors/destination/behaviours.ts'
import type { Destination } from './connectors/destination/destination.ts'
import { streams } from './connectors/partner/streams/index.ts'
import type { Reconciling } from './reconcile/reconciler.ts'
import { closeAll } from './temporal/close-all.ts'
import { connectTemporal } from './temporal/connect.ts'
import type { ConnectedTemporal, TemporalSettings } from './temporal/connect.ts'
import { embeddedFolder } from './temporal/embedded-folder.ts'
import { hasPollers } from './temporal/find-pollers.ts'
import { openConnection, reach } from './temporal/open-connection.ts'
import type { Connected, RunningWorker } from './temporal/session.ts'
import { findWorkflowCode } from './temporal/workflow-code.ts'

/** Work goes only to workers that write the same database and know the same stores. */
function taskQueueOf(config: Config): string {
  const what = JSON.stringify([
    config.database,
    config.stores.map(({ id, baseUrl }) => `${id} ${baseUrl}`).toSorted(),
  ])
  return `tillage-${createHash('sha256').update(what).digest('hex').slice(0, 12)}`
}

interface Opened extends Connected {
  temporal: ConnectedTemporal
  /** Steps of `close`, undone from the last to the first. */
  undo: (() => Promise<void>)[]
}

/** Configuration -> dependencies and a client, for commands that only tell Temporal what to do. */
export const connect = (config: Config, progress: (line: string) => void): Promise<Connected> =>
  open(config, progress)

async function open(
  config: Config,
  progress: (line: string) => void,
  webUi = false,
): Promise<Opened> {
  requireUtc()
  checkAfterUncleanEnd(config.database, () =>
    progress(`the last run did not end in order: checking ${config.database}`),
  )
  const destination = await openDestination(config.database, streams)
  const stores = await storesOf(config, destination)
  const writer = createDayFilesWriter(config, destination, (store, day, signal) => {
    const endpoint: ReferencePlace['endpoint'] = (id, stream) =>
      dependencies.store(id).endpoint(stream)
    return lookUpReferences({ destination, endpoint, signal }, store, day)
  })
  const dependencies = createDependencies(destination, streams, stores, writer)
  const undo: (() => Promise<void>)[] = [() => dependencies.close()]
  const close = (): Promise<void> => closeAll(undo)
  try {
    const place = openPushPlace(config.database)
    undo.push(() => place.close())
    const temporal = await connectTemporal(temporalSettings(config, webUi), progress)
    undo.push(() => temporal.close())
    const connection = await reach(temporal.address, () =>
      openConnection(temporal.connectionOptions),
    )
    undo.push(() => connection.close())
    const client = new Client({ connection, namespace: temporal.namespace })
    return {
      client,
      taskQueue: taskQueueOf(config),
      dependencies,
      push: createPush({ ...place, policy: config.push.policy }, dependencies),
      temporalAddress: temporal.address,
      webUi: temporal.webUi,
      temporal,
      undo,
      close,
    }
  } catch (error) {
    // Why it did not start counts, not what its end adds.
    await close().catch(() => {})
    throw error
  }
}

/** Whether a worker of this configuration, wherever it runs, asks Temporal for work. */
export async function isWorkerPolling(config: Config): Promise<boolean> {
  const temporal = await connectTemporal(temporalSettings(config, false), () => {})
  try {
    const connection = await reach(temporal.address, () =>
      openConnection(temporal.connectionOptions),
    )
    try {
      return await hasPollers(connection, temporal.namespace, taskQueueOf(config))
    } finally {
      await connection.close()
    }
  } finally {
    await temporal.close()
  }
}

/** As they are configured, with the offsets that their lists were seen to take. */
const storesOf = ({ stores }: Config, { behaviours }: Destination): Promise<StoreSettings[]> =>
  Promise.all(
    stores.map(async store => ({
      ...store,
      timeZone: store.timeZone,
      offsets: offsetParameters(await behaviours.of(store.id)),
    })),
  )

/** Compared by name: London has the offset of UTC in winter, too. */
function requireUtc(): void {
  if (Intl.DateTimeFormat().resolvedOptions().timeZone !== 'UTC')
    throw new Error('Tillage runs in UTC: start it with TZ=UTC')
}

const temporalSettings = ({ temporal, database }: Config, webUi: boolean): TemporalSettings =>
  temporal === 'embedded'
    ? { kind: 'embedded', folder: embeddedFolder(database), webUi }
    : { kind: 'address', ...withoutUndefined(temporal) }

/** Writes to the API are recorded on a connection of their own, which is closed with the rest. */
function reconcilingOf(
  { database, exports, reconcile: settings }: Config,
  dependencies: Dependencies,
  undo: (() => Promise<void>)[],
): Reconciling {
  const store = openOutboundStore(database)
  undo.push(() => store.close())
  return {
    store,
    settings,
    exports,
    now: Date.now,
    api: (id, signal) => {
      const { settings: known, client, governor } = dependencies.store(id)
      return openStoreApi(known, signal, { client, governor })
    },
  }
}

/** The composition root: configuration -> dependencies -> worker. */
export async function startWorker(
  config: Config,
  progress: (line: string) => void,
  options: { webUi?: boolean } = {},
): Promise<RunningWorker> {
  const { temporal, undo, ...connected } = await open(config, progress, options.webUi)
  try {
    // Only here: it takes as long to load as a command that needs no worker takes in all.
    const { NativeConnection, Worker } = await loadTemporalWorker(progress)
    const native = await reach(temporal.address, () =>
      NativeConnection.connect(temporal.connectionOptions),
    )
    undo.push(() => native.close())
    const worker = await Worker.create({
      connection: native,
      namespace: temporal.namespace,
      taskQueue: connected.taskQueue,
      workflowBundle: await findWorkflowCode(),
      activities: createActivities(connected.dependencies, {
        push: connected.push,
        reconciling: reconcilingOf(config, connected.dependencies, undo),
      }),
      maxConcurrentActivityTaskExecutions: 32,
      // As often as they are made: by default they are held back for most of their timeout.
      maxHeartbeatThrottleInterval: HEARTBEAT_OF_WRITES_MS,
      maxCachedWorkflows: 100,
      // Workflows only decide what comes next; a second thread would cost 50 MB.
      workflowThreadPoolSize: 1,
      shutdownGraceTime: '20 seconds',
      shutdownForceTime: '60 seconds',
    })
    const stopped = worker.run()
    // Whoever waits on `stopped` sees the error; this only keeps it from being unhandled meanwhile.
    stopped.catch(() => {})
    undo.push(async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown()
      // Why it stopped by itself is for whoever waits on `stopped`.
      await stopped.catch(() => {})
    })
    return { ...connected, stopped }
  } catch (error) {
    await connected.close().catch(() => {})
    throw error
  }
}

let installed = false

/**
 * The SDK's worker. Its own log lines go to stderr from warnings on; signals belong to the command,
 * which closes in order.
 */
async function loadTemporalWorker(
  progress: (line: string) => void,
): Promise<typeof TemporalWorker> {
  const temporal = await import('@temporalio/worker')
  if (installed) return temporal
  installed = true
  temporal.Runtime.install({
    shutdownSignals: [],
    logger: new temporal.DefaultLogger('ERROR', entry => progress(`temporal: ${entry.message}`)),
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  })
  return temporal
}

function withoutUndefined<Shape extends object>(
  shape: Shape,
): { [Key in keyof Shape]: Exclude<Shape[Key], undefined> } {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Shape]: Exclude<Shape[Key], undefined>
  }
}
