import { serveWebhooks } from '../webhooks/serve.ts'
import type { ServedWebhooks } from '../webhooks/serve.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { logStanding } from './reconcile/standing.ts'
import { formatError } from './terminal/error.ts'
import { countOf } from './terminal/number.ts'
import { forgetProgram, serve } from './up/serve.ts'
import type { Serving } from './up/serve.ts'
import { takeUpSettings } from './up/take-up-settings.ts'
import { aborted } from './up/until-stopped.ts'
import { watchForChanges } from './up/watch-file.ts'

interface UpOptions {
  temporalUi?: boolean
}

/**
 * `tillage up`: server, worker and schedules for one machine, until it is told to stop. Settings
 * that change meanwhile are taken up.
 */
async function up(context: Context, { temporalUi = false }: UpOptions): Promise<number> {
  const { config } = context
  const serving = await serve(context, config, { webUi: temporalUi })
  sayUp(context, serving, temporalUi)
  for (const { id } of config.stores) await logStanding(serving.worker, context, id)
  return serveUntilStopped(context, serving)
}

function sayUp({ terminal }: Context, { config, worker }: Serving, isUiWanted: boolean): void {
  const { temporalAddress, webUi } = worker
  const ui = webUi === undefined ? '' : ` (workflows: ${webUi})`
  if (isUiWanted && webUi === undefined) terminal.log(NO_UI)
  terminal.log(
    `up: Temporal ${temporalAddress}${ui}, ${countOf(config.stores.length, 'store')}, ` +
      `database ${config.database}. Ctrl-C stops everything in order.`,
  )
}

const NO_UI =
  "Temporal's web UI is not there: the server was started without it, by another command or " +
  'elsewhere. End the other commands on this database, then run tillage up --temporal-ui again'

/** Where tillage.yaml says that the API tells of changes. */
async function receiveEvents(
  { terminal }: Context,
  { config, worker }: Serving,
): Promise<ServedWebhooks | undefined> {
  if (config.webhooks === undefined) return undefined
  const ids = config.stores.map(({ id }) => id)
  const served = await serveWebhooks(worker, config.webhooks, ids)
  terminal.log(
    `webhooks: listening on ${served.address} for ${countOf(served.stores, 'store')}` +
      (served.stores < ids.length
        ? '. The others are told to the API by: tillage webhooks apply'
        : ''),
  )
  return served
}

/** Until Ctrl-C, or until its worker stops by itself, which is an error. */
async function serveUntilStopped(context: Context, begun: Serving): Promise<number> {
  let serving = begun
  let webhooks: ServedWebhooks | undefined
  const settings = watchForChanges(serving.config.file)
  const stopped = aborted(context.signal).then(() => 'stopped' as const)
  try {
    webhooks = await receiveEvents(context, serving)
    for (;;) {
      const changed = settings.changed().then(() => 'changed' as const)
      const event = await Promise.race([serving.worker.stopped, stopped, changed])
      if (event !== 'changed') return 0
      const next = await takeUpSettings(context, serving)
      if (next === serving) continue
      await webhooks?.close()
      webhooks = await receiveEvents(context, next).catch((error: unknown) => {
        context.terminal.log(`${formatError(error)}\nup goes on without webhooks`)
        return undefined
      })
      serving = next
    }
  } finally {
    settings.close()
    await webhooks?.close()
    await forgetProgram(serving).catch(() => {})
    await serving.worker.close()
  }
}

export const command = declareCommand({
  storeless: true,
  options: [option('--temporal-ui', "also start Temporal's web UI")],
  run: up,
})
