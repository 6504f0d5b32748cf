import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../../config.ts'
import { TillageError } from '../../errors.ts'
import { asTemporalError } from '../../temporal/server-error.ts'
import type { Context } from '../command.ts'
import { formatError } from '../terminal/error.ts'
import { keepProgram, serve } from './serve.ts'
import type { Serving } from './serve.ts'

/** No settings of their own. */
const DERIVED: readonly (keyof Config)[] = ['file', 'written', 'localFiles']
/** What `exports:` of tillage.yaml says beside the folder. */
const OF_EXPORTS = ['exportsMode', 'objects'] as const
/** Where the work is, and who gives it out: another place is another program. */
const NEED_RESTART = ['database', 'temporal', 'metrics', 'exports', ...OF_EXPORTS] as const

/** Who works from now on. */
interface Applied {
  serving: Serving
  /** The settings are right, and could not be taken up for now. */
  isToTryAgain: boolean
}

/**
 * Reads `tillage.yaml` again, says what of it is taken up, and answers who works from now on: a new
 * worker, once the old one has let go of its work, or the old one where the file is wrong.
 */
export async function applyChangedSettings(context: Context, before: Serving): Promise<Applied> {
  const { terminal, log = ({ text }) => terminal.log(text) } = context
  try {
    const merged = mergeSettings(before.config, context.config)
    const { later } = merged
    if (later.length > 0)
      terminal.log(`tillage.yaml: ${later.join(', ')} changed; that needs a restart`)
    return { serving: await takeUp(context, before, merged), isToTryAgain: false }
  } catch (cause) {
    const error = asTemporalError(cause, before.config.localFiles)
    if (!(error instanceof TillageError) || error.code === 'INTERRUPTED') throw error
    // To a command that begins it is fatal; this one had it before.
    const isToTryAgain = error.recovery === 'retry' || error.code === 'TEMPORAL_UNREACHABLE'
    const next = isToTryAgain ? '; the new ones are tried again in some seconds' : ''
    const text = `${formatError(error)}\nthis goes on with the settings of before${next}`
    log({ level: 'error', event: 'settings', code: error.code, text })
    // It is for `status` alone, and may fail for the same reason.
    await keepProgram(before, error.message).catch(() => {})
    return { serving: before, isToTryAgain }
  }
}

async function takeUp(
  context: Context,
  before: Serving,
  { config, changed, later }: MergedSettings,
): Promise<Serving> {
  const { terminal } = context
  const problem = later.length > 0 ? 'it needs a restart' : undefined
  if (changed.length === 0) {
    await keepProgram(before, problem)
    return before
  }
  terminal.log(`tillage.yaml: ${changed.join(', ')} changed`)
  const after = await serve(context, config, before.service, { problem })
  // The new one is at work by now, whatever the end of the old one says.
  await before.worker.close().catch((error: unknown) => terminal.log(formatError(error)))
  terminal.log(`tillage.yaml: ${changed.join(', ')} taken up`)
  return after
}

export interface MergedSettings {
  /** The new settings, as far as they can be taken up. */
  config: Config
  /** Sections that are taken up, and those that need a restart. */
  changed: string[]
  later: string[]
}

/** What of new settings a running program can work by. Pure. */
export function mergeSettings(before: Config, read: Config): MergedSettings {
  const standing = Object.fromEntries(
    [...NEED_RESTART, 'localFiles' as const].map(name => [name, before[name]]),
  )
  const config: Config = { ...read, ...standing }
  const differs = (name: keyof Config): boolean => !isDeepStrictEqual(before[name], read[name])
  const names = Object.keys(read) as (keyof Config)[]
  const later: readonly string[] = NEED_RESTART.filter(differs)
  return {
    config,
    later: [
      ...new Set(later.map(name => (OF_EXPORTS.some(one => one === name) ? 'exports' : name))),
    ],
    changed: names.filter(
      name => !DERIVED.includes(name) && !later.includes(name) && differs(name),
    ),
  }
}
