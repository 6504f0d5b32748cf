import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { createPartnerClient } from '../connectors/partner/client.ts'
import type { PartnerCredentials } from '../connectors/partner/client.ts'
import { parseStoreInfo, STORE_PATH } from '../connectors/partner/store-info.ts'
import type { StoreInfo } from '../connectors/partner/store-info.ts'
import { ConfigError, TillageError, UsageError } from '../errors.ts'
import { declareCommand, option } from './command.ts'
import type { Context, GlobalOptions } from './command.ts'
import { doctor } from './doctor.ts'
import { errorAsJson } from './terminal.ts'

interface InitOptions extends GlobalOptions {
  url?: string
  partnerKeyName?: string
  developerKeyName?: string
}

/** What a configuration starts with; keys by the names of their variables, never themselves. */
interface Answers {
  store: string
  url: string
  partnerKeyName: string
  developerKeyName: string
}

/**
 * `tillage init`: writes a commented configuration for one store, with the zone and name that the
 * API says, and lets `doctor` look at it. Asks for what is missing at a terminal; overwrites
 * nothing. 3 where the keys are not in the environment yet, so that nothing could be tried.
 */
export async function init(context: Context, options: InitOptions): Promise<number> {
  const { terminal, signal } = context
  const file = resolve(options.config)
  if (existsSync(file))
    throw new UsageError(
      `${options.config} exists already; nothing was written`,
      'Name another file with --config, or edit this one.',
    )
  const answers = await askFor(options, terminal.json)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, configText(answers), { flag: 'wx' })
  const config = readBack(context)
  const known = config instanceof ConfigError ? {} : await identify(config.stores[0]!, signal)
  if (known.info !== undefined) writeFileSync(file, configText(answers, known.info))
  terminal.log(`${options.config} is written. Its schedules are off until you turn them on.`)
  const problems = config instanceof ConfigError ? config.problems : []
  if (terminal.json)
    terminal.print(
      JSON.stringify({
        config: file,
        store: known.info ?? null,
        problems,
        error: known.error === undefined ? null : errorAsJson(known.error),
      }),
    )
  if (known.error !== undefined) throw known.error
  const flag = options.config === 'tillage.yaml' ? '' : ` --config ${options.config}`
  if (problems.length > 0) {
    for (const problem of problems) terminal.log(problem)
    terminal.log(`Next: set that right, then tillage doctor${flag}`)
    return 3
  }
  const status = terminal.json ? 0 : await doctor(context, {})
  terminal.log(`Next: ${status === 0 ? 'tillage sync' : 'tillage doctor'}${flag}`)
  return status
}

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

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/** From the options; what is missing is asked for where somebody can answer. */
async function askFor(options: InitOptions, json: boolean): Promise<Answers> {
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY && !json
  if (!mayAsk && options.url === undefined)
    throw new UsageError(
      'init needs the address of the API',
      'For example: tillage init --url https://partner.example --store downtown. At a terminal it asks for what is missing.',
    )
  const reader = mayAsk
    ? createInterface({ input: process.stdin, output: process.stderr })
    : undefined
  const ask = async (given: string | undefined, what: string, otherwise: string): Promise<string> =>
    given ??
    ((await reader?.question(`${what}${otherwise === '' ? '' : ` [${otherwise}]`}: `)) || otherwise)
  try {
    const url = await ask(options.url, 'Address of the Partner Commerce API', '')
    const store = await ask(options.store, 'A short name for the store', 'downtown')
    const partnerKeyName = await ask(
      options.partnerKeyName,
      'Environment variable that holds the partner key',
      'TILLAGE_PARTNER_KEY',
    )
    const developerKeyName = await ask(
      options.developerKeyName,
      "Environment variable that holds the store's developer key",
      `TILLAGE_${store.toUpperCase().replaceAll('-', '_')}_KEY`,
    )
    return checkAnswers({ store, url, partnerKeyName, developerKeyName })
  } finally {
    reader?.close()
  }
}

function checkAnswers(answers: Answers): Answers {
  const { store, url, partnerKeyName, developerKeyName } = answers
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(
      `${JSON.stringify(url)} is not an address`,
      'Write it like https://partner.example; nothing was written.',
    )
  if (!NAME.test(store))
    throw new UsageError(
      `${JSON.stringify(store)} cannot be the name of a store`,
      'Use letters, digits, dashes and underscores, like downtown; nothing was written.',
    )
  const wrong = [partnerKeyName, developerKeyName].find(name => !VARIABLE.test(name))
  // Not quoted: whoever mistook the question has typed the key itself.
  if (wrong !== undefined)
    throw new UsageError(
      'a key was given by something that is no name of an environment variable',
      'Give the name of the variable, like TILLAGE_PARTNER_KEY, and put the key into it; nothing was written.',
    )
  return answers
}

/** The comments are the documentation that is at hand when the file is edited. */
function configText(
  { store, url, partnerKeyName, developerKeyName }: Answers,
  info?: StoreInfo,
): string {
  const zone =
    info?.timeZone === undefined
      ? '    # timeZone: America/Los_Angeles   # default: what the API says\n'
      : `    timeZone: ${info.timeZone}   # as the API says\n`
  return `# Tillage's configuration. \${NAME} comes from the environment: no key stands in this file.
# Relative paths are relative to this file. Everything that is commented out shows its default.

stores:
  - id: ${store}${info?.name === undefined ? '' : `   # ${info.name.replaceAll(/\s+/g, ' ')}`}
    baseUrl: ${url}
    partnerKey: \${${partnerKeyName}}
    developerKey: \${${developerKeyName}}
${zone}    # dayStartsAt: "00:00"             # when the business day begins, for example "02:00"
    # limits: { concurrency: 8 }       # at most so many requests at once
  # Another store is another entry like this one, with a developerKey of its own.

# database: ./tillage-data/tillage.db
# exports: ./tillage-data/exports
# temporal: embedded                   # or { address, namespace, apiKey, tls }

# What runs by itself while \`tillage up\` is running, in each store's own zone.
schedules:
  nightly: { every: never }            # daily: reads, proves and writes the day's files
  # nightly: { at: "03:30", deadline: "05:00", export: [transactions], formats: [csv], journal: [generic] }
  sweep: { every: never }              # weekly: reads again what the lookback does not reach
  check: { every: never }              # daily: compares a random sample with the API

# Accounts of the daily journal; \`tillage accounts\` lists them.
# accounting:
#   formats: [generic]
`
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
