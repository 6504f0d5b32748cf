import type { Config } from '../../config.ts'
import { openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { serveMetrics } from '../../metrics/serve.ts'
import { openAlarms } from '../../standing/alarms.ts'
import { serveWebhooks } from '../../webhooks/serve.ts'
import type { Context } from '../command.ts'
import { serveConsole } from '../console/serve-console.ts'
import { formatError } from '../terminal/error.ts'
import { countOf } from '../terminal/number.ts'
import { readOpen } from './read-open.ts'
import type { Serving } from './serve.ts'

export interface Listening {
  close(): Promise<void>
}

/** Everything that this program serves to others, by tillage.yaml; events go to `up` alone. */
export async function listen(context: Context, serving: Serving): Promise<Listening> {
  const open: Listening[] = []
  const close = async (): Promise<void> => {
    for (const one of open.splice(0)) await one.close()
  }
  try {
    if (serving.service.roles.includes('schedule'))
      open.push(...(await listenForEvents(context, serving)))
    open.push(...(await listenForMetrics(context, serving)))
    open.push(...(await listenForPeople(context, serving)))
    return { close }
  } catch (error) {
    await close()
    throw error
  }
}

async function listenForEvents(
  { terminal }: Context,
  { config, worker }: Serving,
): Promise<Listening[]> {
  if (config.webhooks === undefined) return []
  const ids = config.stores.map(({ id }) => id)
  const served = await serveWebhooks(worker, config.webhooks, ids)
  terminal.log(
    `webhooks: listening on ${served.address} for ${countOf(served.stores, 'store')}` +
      (served.stores < ids.length
        ? '. The others are told to the API by: tillage webhooks apply'
        : ''),
  )
  return [served]
}

/**
 * The pages for people. It is on without being asked for, so a port that another `up` has is no
 * reason to stop.
 */
async function listenForPeople(
  { terminal, tell = terminal.log }: Context,
  { config, knownWorker, service: { people: remembered } }: Serving,
): Promise<Listening[]> {
  if (remembered === undefined) return []
  try {
    const served = await serveConsole(config, { worker: knownWorker, remembered })
    tell(`Console: ${served.signIn}`)
    return [served]
  } catch (error) {
    terminal.log(`${formatError(error)}\nthe console is not there; everything else goes on`)
    return []
  }
}

/** For Prometheus, and for whoever asks whether it lives. */
async function listenForMetrics({ terminal }: Context, serving: Serving): Promise<Listening[]> {
  const { config, worker } = serving
  if (config.metrics === undefined) return []
  const served = await serveMetrics(worker, config.metrics, {
    async readOpen() {
      const { notices, nowMs } = await readOpen(serving)
      return openAlarms(notices, nowMs)
    },
    readId: () => readId(config),
    exports: config.exports,
  })
  terminal.log(`metrics: http://${served.address}/metrics, and /live and /ready beside it`)
  return [served]
}

async function readId(config: Config): Promise<string> {
  await using database = await openReadOnly(config, streams)
  return await database.identity.id()
}
