import { placeOf } from '../connectors/server-address.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { rememberPeople } from './console/serve-console.ts'
import { logStanding } from './reconcile/standing.ts'
import { countOf } from './terminal/number.ts'
import { loggingTo } from './up/log-to.ts'
import { ROLES, serve } from './up/serve.ts'
import type { Serving } from './up/serve.ts'
import { serveUntilStopped } from './up/until-stopped.ts'

interface UpOptions {
  temporalUi?: boolean
  /** False: `--no-console`. */
  console?: boolean
}

/**
 * `tillage up`: server, worker and schedules for one machine, until it is told to stop. Settings
 * that change meanwhile are taken up.
 */
async function up(
  asked: Context,
  { temporalUi = false, console: hasConsole = true }: UpOptions,
): Promise<number> {
  const context = loggingTo(asked)
  // A context reads its settings from the file each time, and somebody may be at work on that.
  const { config, terminal } = context
  const people = hasConsole ? rememberPeople(config) : undefined
  const service = { roles: ROLES, people }
  const serving = await serve(context, config, service, { webUi: temporalUi })
  sayUp(context, serving, temporalUi)
  for (const { id } of config.stores) await logStanding(serving.worker, { config, terminal }, id)
  return serveUntilStopped(context, serving)
}

function sayUp({ terminal }: Context, { config, worker }: Serving, isUiWanted: boolean): void {
  const { temporalAddress, webUi } = worker
  const ui = webUi === undefined ? '' : ` (workflows: ${webUi})`
  if (isUiWanted && webUi === undefined) terminal.log(NO_UI)
  terminal.log(
    `up: Temporal ${temporalAddress}${ui}, ${countOf(config.stores.length, 'store')}, ` +
      `database ${placeOf(config.database)}. Ctrl-C stops everything in order.`,
  )
}

const NO_UI =
  "Temporal's web UI is not there: the server was started without it, by another command or " +
  'elsewhere. End the other commands on this database, then run tillage up --temporal-ui again'

export const command = declareCommand({
  storeless: true,
  options: [
    option('--temporal-ui', "also start Temporal's web UI"),
    option('--no-console', 'without the pages for people'),
  ],
  run: up,
})
