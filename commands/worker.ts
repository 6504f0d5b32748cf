import { UsageError } from '../errors.ts'
import { chooseNames, splitNames } from '../names.ts'
import { declareCommand, option, wholeNumber } from './command.ts'
import type { Context } from './command.ts'
import { loggingTo } from './up/log-to.ts'
import { ROLES, serve } from './up/serve.ts'
import type { Role } from './up/serve.ts'
import { serveUntilStopped } from './up/until-stopped.ts'
import { listReleases, move, promote } from './worker/releases.ts'

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

/** What somebody decides about releases of workers, by its word. */
const ACTS = { releases: listReleases, promote, move } as const
const ACT_NAMES = Object.keys(ACTS) as (keyof typeof ACTS)[]

async function runWorker(
  context: Context,
  options: WorkerOptions,
  ...[typed, release]: [act?: string, release?: string]
): Promise<number> {
  if (typed === undefined) return work(context, options)
  const [act] = chooseNames('action', [typed], ACT_NAMES)
  return ACTS[act!](context, release)
}

export const command = declareCommand<WorkerOptions, [string?, string?]>({
  takes: '[action] [release]',
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
  notes:
    'With temporal.deployment in tillage.yaml: tillage worker releases lists the releases of workers ' +
    'and what each has to end, promote gives new work to one (default: this one), and move lets the ' +
    'current one end what another one began.',
  audited: (_options, act, release) =>
    act === 'promote' || act === 'move' ? { act, release: release ?? null } : undefined,
  run: runWorker,
})
