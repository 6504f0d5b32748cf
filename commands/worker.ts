import { UsageError } from '../errors.ts'
import { chooseNames, splitNames } from '../names.ts'
import { declareCommand, option, wholeNumber } from './command.ts'
import type { Context } from './command.ts'
import { loggingTo } from './up/log-to.ts'
import { ROLES, serve } from './up/serve.ts'
import type { Role } from './up/serve.ts'
import { serveUntilStopped } from './up/until-stopped.ts'

interface WorkerOptions {
  role?: string
  /** Seconds. */
  drain: number
}

/**
 * `tillage worker`: takes part in the work of a database, beside others on this machine and on
 * others, until it is told to stop. It takes up settings that change.
 */
async function work(asked: Context, { role, drain }: WorkerOptions): Promise<number> {
  const roles = chooseRoles(role)
  const context = loggingTo(asked)
  const service = { roles, drainMs: Math.max(1, drain) * 1000 }
  const serving = await serve(context, context.config, service)
  const { temporalAddress, taskQueue } = serving.worker
  context.terminal.log(
    `worker is up: Temporal ${temporalAddress}, task queue ${taskQueue}, ${roles.join(', ')}. ` +
      'Ctrl-C stops it in order.',
  )
  return serveUntilStopped(context, serving)
}

/** Who tells Temporal what runs when is one that was asked to. */
const USUAL: readonly Role[] = ['read', 'export', 'write']

function chooseRoles(typed: string | undefined): readonly Role[] {
  if (typed === undefined) return USUAL
  const names = chooseNames('role', splitNames(typed), [...ROLES, 'all'] as const)
  if (names.length === 0)
    throw new UsageError('no role was named', `Roles are: ${ROLES.join(', ')}, all.`)
  return names.includes('all') ? ROLES : ROLES.filter(role => names.includes(role))
}

export const command = declareCommand({
  storeless: true,
  options: [
    option(
      '--role <roles>',
      'read, export, write (all three where none is named), schedule, or all',
    ),
    option('--drain <seconds>', 'time to end, or to hand over, what is under way')
      .argParser(wholeNumber)
      .default(60),
  ],
  run: work,
})
