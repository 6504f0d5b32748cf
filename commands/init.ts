import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createPartnerClient } from '../connectors/partner/client.ts'
import type { PartnerCredentials } from '../connectors/partner/client.ts'
import { parseStoreInfo, STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { writeNewFile } from '../disk.ts'
import { ConfigError, TillageError, UsageError } from '../errors.ts'
import { declareCommand, option } from './command.ts'
import type { Context, GlobalOptions } from './command.ts'
import { doctor } from './doctor.ts'
import { askForAnswers, usualKeyNames } from './init/answers.ts'
import { configText, storeEntry } from './init/config.ts'
import { promptOf } from './terminal/ask.ts'
import { errorAsJson, formatError } from './terminal/error.ts'

interface InitOptions extends GlobalOptions {
  url?: string
  partnerKeyName?: string
  developerKeyName?: string
}

/** What stands in the file that was written, and what the API said about its store. */
interface Written {
  file: string
  /** What keeps it from being read: keys that are not in the environment yet. */
  problems: readonly string[]
  info?: StoreInfo
  error?: TillageError
}

/**
 * `tillage init`: writes a commented configuration for one store, with the zone and name that the
 * API says, and lets `doctor` look at it. Asks for what is missing at a terminal; overwrites
 * nothing. 3 where the keys are not in the environment yet, so that nothing could be tried.
 */
export async function init(context: Context, options: InitOptions): Promise<number> {
  const { terminal } = context
  if (existsSync(resolve(options.config)))
    throw new UsageError(
      `${options.config} exists already; nothing was written`,
      `Name another file with --config, or edit this one.${anotherStore(options)}`,
    )
  const written = await writeConfig(context, options)
  terminal.log(`${options.config} is written. Its schedules are off until you turn them on.`)
  if (terminal.json) terminal.print(asJson(written))
  if (written.error !== undefined) {
    terminal.log(formatError(written.error))
    return written.error.exitStatus
  }
  const flag = options.config === 'tillage.yaml' ? '' : ` --config ${options.config}`
  if (written.problems.length > 0) {
    for (const problem of written.problems) terminal.log(problem)
    terminal.log(`Next: set that right (export NAME=...), then tillage doctor${flag}`)
    return 3
  }
  const status = terminal.json ? 0 : await doctor(context, {})
  terminal.log(`Next: ${status === 1 ? 'tillage doctor' : 'tillage sync'}${flag}`)
  return status
}

/** What to add to a configuration that is there, for whoever has a second store. */
const anotherStore = ({ store, url }: InitOptions): string =>
  store === undefined || url === undefined
    ? ''
    : ' Another store is another entry below stores:\n' +
      storeEntry({ store, url, ...usualKeyNames(store) })

/** First with what was answered; then, where the keys are there, with what the API says, too. */
async function writeConfig(context: Context, options: InitOptions): Promise<Written> {
  const file = resolve(options.config)
  const answers = await askForAnswers(options, promptOf(context))
  mkdirSync(dirname(file), { recursive: true })
  writeNewFile(file, configText(answers))
  const config = readBack(context)
  if (config instanceof ConfigError) return { file, problems: config.problems }
  const known = await identify(config.stores[0]!, context.signal)
  if (known.info !== undefined) {
    rmSync(file)
    writeNewFile(file, configText(answers, known.info))
  }
  return { file, problems: [], ...known }
}

const asJson = ({ file, problems, info, error }: Written): string =>
  JSON.stringify({
    config: file,
    store: info ?? null,
    problems,
    error: error === undefined ? null : errorAsJson(error),
  })

/** What was written, as every other command reads it: the keys may not be there yet. */
function readBack(context: Context): Context['config'] | ConfigError {
  try {
    return context.config
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

/** Asks the API who the store is. */
async function identify(
  store: PartnerCredentials,
  signal: AbortSignal,
): Promise<{ info?: StoreInfo; error?: TillageError }> {
  const client = createPartnerClient(store)
  try {
    return { info: parseStoreInfo((await client.get(STORE_PATH, {}, signal)).toString('utf8')) }
  } catch (error) {
    if (error instanceof TillageError) return { error }
    throw error
  } finally {
    await client.close()
  }
}

export const command = declareCommand({
  options: [
    option('--url <address>', 'of the API, like https://partner.example'),
    option('--partner-key-name <name>', 'the environment variable of the partner key'),
    option('--developer-key-name <name>', 'the environment variable of the developer key'),
  ],
  notes: '--store names the store. Keys are never asked for, only the names of their variables.',
  run: init,
})
