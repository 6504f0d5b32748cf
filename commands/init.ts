import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { STANDARD_INPUT } from '../config/source.ts'
import { parseYaml } from '../config/yaml.ts'
import { createPartnerClient } from '../connectors/partner/client.ts'
import type { PartnerCredentials } from '../connectors/partner/client.ts'
import { parseStoreInfo, STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { writeNewFile } from '../disk.ts'
import { ConfigError, TillageError, UsageError } from '../errors.ts'
import { declareCommand, option } from './command.ts'
import type { Context, GlobalOptions } from './command.ts'
import { doctor } from './doctor.ts'
import { addStores, refuseKnown, usualAnswers } from './init/add-stores.ts'
import { askForAnswers } from './init/answers.ts'
import type { Answers } from './init/answers.ts'
import { configText, storeEntries } from './init/config.ts'
import { promptOf } from './terminal/ask.ts'
import { errorAsJson, formatRefusal } from './terminal/error.ts'

interface InitOptions extends GlobalOptions {
  url?: string
  partnerKeyName?: string
  developerKeyName?: string
  add?: boolean
}

/** What stands in the file that was written, and what the API said about its new stores. */
interface Written {
  file: string
  stores: readonly string[]
  /** What keeps it from being read: keys that are not in the environment yet. */
  problems: readonly string[]
  known: ReadonlyMap<string, StoreInfo>
  error?: TillageError
}

/**
 * `tillage init`: writes a commented configuration for one store or several, with the zone and name
 * that the API says, and lets `doctor` look at them; `--add` puts stores into one that is there.
 * Asks for what is missing at a terminal; overwrites nothing. 3 where the keys are not in the
 * environment yet, so that nothing could be tried.
 */
export async function init(context: Context, options: InitOptions): Promise<number> {
  const { terminal } = context
  const written =
    options.add === true ? await addTo(context, options) : await create(context, options)
  if (terminal.json) terminal.print(asJson(written))
  if (written.error !== undefined) {
    terminal.log(formatRefusal(written.error))
    return written.error.exitStatus
  }
  if (written.problems.length > 0) {
    for (const problem of written.problems) terminal.log(problem)
    terminal.log('Next: set that right (export NAME=...), then tillage doctor')
    return 3
  }
  const only = written.stores.length === 1 ? { store: written.stores[0]! } : {}
  const status = terminal.json ? 0 : await doctor(context, only)
  terminal.log(`Next: ${status === 1 ? 'tillage doctor' : 'tillage sync'}`)
  return status
}

/** First with what was answered; then, where the keys are there, with what the API says, too. */
async function create(context: Context, options: InitOptions): Promise<Written> {
  refuseInput(options)
  const file = resolve(options.config)
  if (existsSync(file))
    throw new UsageError(
      `${options.config} exists already; nothing was written`,
      'Add a store to it: tillage init --add --store NAME. Or name another file with --config.',
    )
  const answers = await askForAnswers(options, promptOf(context))
  mkdirSync(dirname(file), { recursive: true })
  const write = (known: Known): void => writeNewFile(file, configText(answers, known))
  write(new Map())
  context.terminal.log(
    `${options.config} is written. Its schedules are off until you turn them on.`,
  )
  return complete(context, file, answers, known => {
    rmSync(file)
    write(known)
  })
}

/** The same below the stores that are there; address and partner key are those of the first. */
async function addTo(context: Context, options: InitOptions): Promise<Written> {
  refuseInput(options)
  const file = resolve(options.config)
  if (!existsSync(file))
    throw new UsageError(
      `${options.config} does not exist, so there is nothing to add to`,
      'Leave out --add to write one.',
    )
  const before = readFileSync(file, 'utf8')
  parseYaml(options.config, before)
  const answers = await askForAnswers({ ...usualAnswers(before), ...options }, promptOf(context))
  refuseKnown(before, answers)
  const write = (known: Known): void =>
    writeFileSync(file, addStores(before, storeEntries(answers, known)))
  write(new Map())
  const names = answers.map(({ store }) => store).join(', ')
  context.terminal.log(`${options.config} has ${names} now; nothing else of it has changed.`)
  return complete(context, file, answers, write)
}

function refuseInput({ config }: InitOptions): void {
  if (config === STANDARD_INPUT)
    throw new UsageError(
      'init writes a file, and --config - is the standard input; nothing was written',
      'Name the file that it is to write with --config.',
    )
}

type Known = ReadonlyMap<string, StoreInfo>

/** Asks the API who the new stores are, and has the file written again with what it says. */
async function complete(
  context: Context,
  file: string,
  answers: readonly Answers[],
  writeAgain: (known: Known) => void,
): Promise<Written> {
  const stores = answers.map(({ store }) => store)
  const config = readBack(context)
  const known = new Map<string, StoreInfo>()
  if (config instanceof ConfigError) return { file, stores, problems: config.problems, known }
  for (const store of config.stores.filter(({ id }) => stores.includes(id))) {
    const { info, error } = await identify(store, context.signal)
    if (error !== undefined) return { file, stores, problems: [], known, error }
    if (info !== undefined) known.set(store.id, info)
  }
  writeAgain(known)
  return { file, stores, problems: [], known }
}

const asJson = ({ file, stores, problems, known, error }: Written): string =>
  JSON.stringify({
    config: file,
    store: known.get(stores[0]!) ?? null,
    stores: stores.map(id => ({ id, says: known.get(id) ?? null })),
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
    option('--add', 'add the store to the tillage.yaml that is there; its comments stay'),
  ],
  notes:
    '--store names the store, or several with commas. Keys are never asked for, only the names of their variables.',
  run: init,
})
