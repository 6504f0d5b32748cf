import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import { z } from 'zod'
import { explainIssues, placeOf } from './config-problems.ts'
import { ConfigError } from './errors.ts'
import { findDesktopProblems, findProblems } from './exports/journal/check-settings.ts'
import { accountingSettings } from './exports/journal/settings.ts'
import { editDistance, faultOfStoreId, nearestName, VARIABLE_NAME } from './names.ts'
import { pushSettings } from './push/settings.ts'
import type { PushSettings } from './push/settings.ts'
import { WINDOW_LIMITS } from './reading/window-limits.ts'
import { reconcileSettings } from './reconcile/settings.ts'
import { clock, scheduleSettings } from './schedules/rules/settings.ts'
import { rememberSecret } from './secrets.ts'

/**
 * The one reader of files and environment. Everything else gets what it needs as arguments. All
 * problems are reported at once, by their place in the file; secrets are never quoted.
 */
const timeZone = z.string().refine(isTimeZone, {
  error: ({ input }) => `is not a time zone; write it like ${likelyZone(String(input))}`,
})
const positive = z.number().positive()

const storeId = z.string().refine(id => faultOfStoreId(id) === undefined, {
  error: ({ input }) => faultOfStoreId(String(input)),
})

const storeFields = z.strictObject({
  id: storeId,
  baseUrl: z.string().refine(isBaseUrl, {
    error: 'must be an address like https://partner.example, without user, password or query',
  }),
  /** Keys and records may travel without TLS to another machine. */
  allowInsecure: z.boolean().default(false),
  partnerKey: z.string().min(1, 'is empty'),
  developerKey: z.string().min(1, 'is empty'),
  /** Whom the developer key must stand for; learned from the API where it is not said. */
  companyId: z.string().min(1, 'is empty').optional(),
  shopId: z.string().min(1, 'is empty').optional(),
  timeZone: timeZone.optional(),
  /** It counts, although the API says another. */
  timeZoneIsRight: z.boolean().default(false),
  dayStartsAt: clock.default('00:00'),
  limits: z
    .strictObject({
      concurrency: positive.int().max(64).default(8),
      requestsPerSecond: positive.default(Number.POSITIVE_INFINITY),
      /** On the wire as well as inflated; more is refused (`PARTNER_TOO_LARGE`). */
      megabytesPerAnswer: positive.max(2000).default(64),
      /** A second more for each 50 kB that have come (`PARTNER_TOO_SLOW`). */
      secondsPerAnswer: positive.max(3600).default(60),
      /** Of one pass through the list of a window (`WINDOW_TOO_LARGE`). */
      pagesPerWindow: positive.default(WINDOW_LIMITS.pagesPerWindow),
      rowsPerWindow: positive.default(WINDOW_LIMITS.rowsPerWindow),
      megabytesPerWindow: positive.default(WINDOW_LIMITS.megabytesPerWindow),
      minutesPerWindow: positive.default(WINDOW_LIMITS.minutesPerWindow),
    })
    .prefault({}),
})

const store = storeFields.refine(
  ({ baseUrl, allowInsecure }) => allowInsecure || !isOpenLine(baseUrl),
  {
    path: ['baseUrl'],
    error:
      'is http:// to another machine, so keys and records could be read on the way; ' +
      'write https://, or allowInsecure: true beside it',
  },
)

const temporal = z.union(
  [
    z.literal('embedded'),
    z
      .strictObject({
        address: z.string().min(1),
        namespace: z.string().default('default'),
        apiKey: z.string().optional(),
        tls: z.boolean().optional(),
      })
      .refine(
        ({ address, apiKey, tls }) =>
          apiKey === undefined || tls !== false || !isOpenLine(`http://${address}`),
        {
          path: ['tls'],
          error:
            'must not be false where there is an apiKey: it would travel openly to another machine',
        },
      ),
  ],
  {
    error: ({ input }) =>
      'must be embedded, or { address, namespace, apiKey, tls }' +
      (nearestName(String(input), ['embedded']) === undefined ? '' : ' (did you mean embedded?)'),
  },
)

/** Days; what is not named is kept for ever. `tillage purge` removes the rest. */
const days = positive.int().optional()
const retentionSettings = z
  .strictObject({
    /** States of records that were replaced. */
    versionsDays: days,
    discardedLettersDays: days,
    readingsDays: days,
    /** Histories of runs that are over. */
    temporalDays: days,
  })
  .refine(
    ({ versionsDays, readingsDays }) =>
      readingsDays === undefined || (versionsDays !== undefined && versionsDays <= readingsDays),
    {
      path: ['readingsDays'],
      error: 'must not be shorter than versionsDays: readings say how old versions are',
    },
  )

/** `mode`: of files without people, in the digits of `chmod`; others are their owner's alone. */
const exportsFolder = z.strictObject({
  folder: z.string().min(1).default('./tillage-data/exports'),
  mode: z
    .union([z.string(), z.number()])
    .transform(String)
    .refine(mode => /^0?6[046]{2}$/.test(mode)),
})

const schema = z.strictObject({
  stores: z.array(store).min(1, 'needs at least one store'),
  database: z.string().min(1).default('./tillage-data/tillage.db'),
  exports: z
    .union([z.string().min(1), exportsFolder], {
      error: 'must be a folder, or { folder, mode }, with a mode like "0640"',
    })
    .default('./tillage-data/exports'),
  temporal: temporal.default('embedded'),
  schedules: scheduleSettings.prefault({}),
  /** Of CSV files for people and their programs; importers' files never have a byte order mark. */
  csv: z.strictObject({ bom: z.boolean().default(true) }).prefault({}),
  accounting: accountingSettings.prefault({}),
  reconcile: reconcileSettings.prefault({}),
  push: pushSettings.prefault({}),
  retention: retentionSettings.prefault({}),
})

export type StoreConfig = z.infer<typeof store>

export interface Config extends Omit<z.infer<typeof schema>, 'exports'> {
  /** The folder. */
  exports: string
  /** Of files without people; undefined: their owner's alone. */
  exportsMode: number | undefined
  /**
   * The file it came from; relative paths in it are relative to its folder, and are absolute here.
   */
  file: string
}

/** Reads and checks the configuration. Throws a ConfigError that lists every problem. */
export function loadConfig(
  file: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const path = resolve(file)
  if (!existsSync(path)) throw notThere(file, path)
  const variables: Variables = { environment, missing: new Set(), misnamed: [] }
  const text = readText(file, path)
  const document = substitute(parseYaml(file, text), variables)
  const parsed = schema.safeParse(document ?? {})
  const problems = [
    ...[...variables.missing].map(name => `\${${name}} is not set in the environment`),
    ...variables.misnamed.map(sayMisnamed),
    ...(parsed.success
      ? [...duplicates(parsed.data.stores.map(({ id }) => id)), ...accountingProblems(parsed.data)]
      : explainIssues(schema, parsed.error.issues)),
  ]
  if (!parsed.success || problems.length > 0)
    throw new ConfigError(
      file,
      problems,
      problems.length === variables.missing.size
        ? 'Nothing was started. Set what is missing (export NAME=...) and run the command again.'
        : 'Nothing was started. Fix the file and run the command again.',
    )
  rememberSecrets(parsed.data)
  const folder = dirname(path)
  return {
    ...parsed.data,
    file: path,
    database: resolve(folder, parsed.data.database),
    ...exportsOf(folder, parsed.data.exports),
    push: inFolder(folder, parsed.data.push),
  }
}

const notThere = (file: string, path: string): ConfigError =>
  new ConfigError(
    file,
    [`the file does not exist (looked for ${path})`],
    'Write one with tillage init, or name another file with --config. ' +
      'To look around without one: tillage demo',
  )

function exportsOf(
  folder: string,
  exports: z.infer<typeof schema>['exports'],
): Pick<Config, 'exports' | 'exportsMode'> {
  if (typeof exports === 'string')
    return { exports: resolve(folder, exports), exportsMode: undefined }
  return { exports: resolve(folder, exports.folder), exportsMode: parseInt(exports.mode, 8) }
}

function rememberSecrets({ stores, temporal: settings }: z.infer<typeof schema>): void {
  const keys = stores.flatMap(({ partnerKey, developerKey }) => [partnerKey, developerKey])
  const apiKey = settings === 'embedded' ? undefined : settings.apiKey
  for (const key of [...keys, apiKey]) rememberSecret(key)
}

function readText(file: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ConfigError(
      file,
      [`it cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`],
      'Check that it is a file that you may read.',
    )
  }
}

function parseYaml(file: string, text: string): unknown {
  try {
    // The library's warnings are not printed: they quote values, which may be keys.
    const document: unknown = parse(text, { logLevel: 'error' })
    refuseCycles(file, document)
    return document
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError(
      file,
      [`it is not valid YAML: ${explainYaml(cause)}`],
      'Fix the line that it names; quotes around values with colons, ' +
        'or with a * or ! in front, often help.',
    )
  }
}

/** A reference inside of what it refers to has no end. */
function refuseCycles(file: string, value: unknown, above: readonly unknown[] = []): void {
  if (typeof value !== 'object' || value === null) return
  if (above.includes(value))
    throw new ConfigError(
      file,
      ['a reference (*) stands inside of what it refers to (&), so it has no end'],
      'Write out what is meant, without the reference.',
    )
  for (const item of Object.values(value)) refuseCycles(file, item, [...above, value])
}

/** Kind and place of the mistake. The library's own words may quote a value, which may be a key. */
function explainYaml(cause: unknown): string {
  if (!(cause instanceof YAMLParseError))
    return /alias count/i.test((cause as Error).message)
      ? 'its references (* and &) unfold to more than a configuration can hold'
      : 'a value starts with *, which YAML reads as a reference'
  const what = cause.code.toLowerCase().replaceAll('_', ' ')
  const [start] = cause.linePos ?? []
  return start === undefined ? what : `${what} at line ${start.line}, column ${start.col}`
}

/** What `${NAME}` stands for, and what was found wrong with it. */
interface Variables {
  environment: Readonly<Record<string, string | undefined>>
  missing: Set<string>
  /** Where braces hold no name, as `stores[0].partnerKey`. */
  misnamed: string[]
}

/** What stands between the braces is not repeated: somebody may have put the key itself there. */
const sayMisnamed = (place: string): string =>
  `${place} has \${...} without the name of an environment variable in it; ` +
  'write it like ${TILLAGE_PARTNER_KEY}'

/** Replaces `${NAME}` in every text by the environment's value. */
function substitute(
  value: unknown,
  variables: Variables,
  path: readonly PropertyKey[] = [],
): unknown {
  if (typeof value === 'string') return substituteIn(value, variables, path)
  if (Array.isArray(value))
    return value.map((item, index) => substitute(item, variables, [...path, index]))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        substitute(item, variables, [...path, key]),
      ]),
    )
  return value
}

/** A text that is all braces without a name is a mistake; any other dollar is a dollar. */
function substituteIn(text: string, variables: Variables, path: readonly PropertyKey[]): string {
  const [whole, inside = ''] = /^\$\{([^}]*)\}?$/.exec(text) ?? []
  if (whole !== undefined && !(VARIABLE_NAME.test(inside) && whole.endsWith('}'))) {
    variables.misnamed.push(placeOf(path))
    return 'misnamed'
  }
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const found = variables.environment[name]
    if (found !== undefined && found !== '') return found
    variables.missing.add(name)
    return 'missing'
  })
}

function duplicates(ids: readonly string[]): string[] {
  const alike = Map.groupBy(ids, id => id.toLowerCase()).values()
  return [...alike]
    .filter(({ length }) => length > 1)
    .map(([id, ...others]) =>
      others.every(other => other === id)
        ? `two stores have the id ${id}`
        : `the stores ${[id, ...others].join(' and ')} differ by the case of their ids alone: ` +
          'their exports would share one folder where a disk takes both for the same',
    )
}

function accountingProblems({ stores, accounting, schedules }: z.infer<typeof schema>): string[] {
  const ids = [...new Set(stores.map(({ id }) => id))]
  const wantsDesktop = [...accounting.formats, ...schedules.nightly.journal].includes('iif')
  return [
    ...findProblems(accounting, ids),
    ...(wantsDesktop ? findDesktopProblems(accounting, ids) : []),
  ]
}

/** A slip of the pen in a zone's name; else an example. */
function likelyZone(typed: string): string {
  const near = nearestName(typed, Intl.supportedValuesOf('timeZone'))
  return near !== undefined && editDistance(typed, near) <= 2 ? near : 'America/Los_Angeles'
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  )
}

/** Without TLS, and not to this machine itself. */
function isOpenLine(address: string): boolean {
  const url = URL.parse(address)
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '')
  return url?.protocol === 'http:' && !isLoopback
}

/** Files of catalogs are named relative to the configuration. */
const inFolder = (folder: string, push: PushSettings): PushSettings => ({
  ...push,
  files: push.files.map(file => ({ ...file, path: resolve(folder, file.path) })),
})
