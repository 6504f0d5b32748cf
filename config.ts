import { dirname, resolve } from 'node:path'
import { followFiles } from './config/followed-files.ts'
import { explainIssues } from './config/problems.ts'
import { configSchema, USUAL_DATABASE } from './config/schema.ts'
import type { Settings } from './config/schema.ts'
import { replaceSecrets } from './config/secrets.ts'
import { readSource } from './config/source.ts'
import { gatherStores, placeAmong } from './config/store-files.ts'
import type { GatheredStores, StoreFile, StorePlace } from './config/store-files.ts'
import type { Environment } from './config/variables.ts'
import { parseYaml } from './config/yaml.ts'
import { isServerAddress } from './connectors/server-address.ts'
import { ConfigError } from './errors.ts'
import { findProblems } from './exports/journal/check-settings.ts'
import { isObjectAddress, objectPlace } from './objects/place.ts'
import type { ObjectPlace } from './objects/place.ts'
import type { PushSettings } from './push/settings.ts'
import { rememberSecret } from './secrets.ts'

export type StoreConfig = Settings['stores'][number]

export interface Config extends Omit<Settings, 'exports'> {
  /** The path of a file of SQLite, or the address of a PostgreSQL server, password included. */
  database: string
  /**
   * What this machine keeps for the database begins like this, or lies in the same folder: beside
   * the file itself, and where such a file would be for a server.
   */
  localFiles: string
  /** The folder; of a bucket the one here that mirrors it. */
  exports: string
  /** The bucket that exports are given out into; undefined: they lie in the folder alone. */
  objects: ObjectPlace | undefined
  /** Of files without people; undefined: their owner's alone. */
  exportsMode: number | undefined
  /**
   * The file it came from, or `-` for the standard input. Relative paths in it are relative to its
   * folder, or to where the command runs, and are absolute here.
   */
  file: string
  /** As somebody wrote it, with the files that `stores:` names. */
  written: WrittenSettings
}

export interface WrittenSettings {
  /** As messages call it. */
  name: string
  text: string
  storeFiles: readonly StoreFile[]
  /** The paths of all files that the settings come from by now: more may be there. */
  filesNow: () => string[]
}

/**
 * The one reader of files and environment; everything else gets what it needs as arguments. Throws
 * a ConfigError that lists every problem by its place in the file. Secrets are never quoted.
 */
export function loadConfig(file: string, environment: Environment = process.env): Config {
  const source = readSource(file)
  const { folder, text, name } = source
  const gathered = gatherStores(parseYaml(name, text), source, environment)
  const settings = parseSettings(name, gathered)
  const place = databaseOf(folder, settings.database)
  replaceSecrets(settings, rememberSecret)
  return {
    ...settings,
    file: source.file,
    written: {
      name,
      text,
      storeFiles: gathered.files,
      filesNow: followFiles(source, environment),
    },
    ...place,
    ...exportsOf({ folder, localFiles: place.localFiles }, settings.exports),
    temporal: temporalIn(folder, settings.temporal),
    push: inFolder(folder, settings.push),
    backup: backupIn(folder, settings.backup),
  }
}

function parseSettings(
  name: string,
  { document, missing, misnamed, places }: GatheredStores,
): Settings {
  const parsed = configSchema.safeParse(document ?? {})
  const problems = [
    ...missing.map(variable => `\${${variable}} is not set in the environment`),
    ...misnamed.map(sayMisnamed),
    ...(parsed.success
      ? findConflicts(parsed.data, places)
      : explainIssues(configSchema, parsed.error.issues, placeAmong(places))),
  ]
  if (parsed.success && problems.length === 0) return parsed.data
  throw new ConfigError(
    name,
    problems,
    problems.length === missing.length
      ? 'Nothing was started. Set what is missing (export NAME=...) and run the command again.'
      : 'Nothing was started. Fix the file and run the command again.',
  )
}

function databaseOf(folder: string, database: string): Pick<Config, 'database' | 'localFiles'> {
  if (!isServerAddress(database)) {
    const path = resolve(folder, database)
    return { database: path, localFiles: path }
  }
  rememberSecret(decodeURIComponent(new URL(database).password) || undefined)
  return { database, localFiles: resolve(folder, USUAL_DATABASE) }
}

function exportsOf(
  { folder, localFiles }: { folder: string; localFiles: string },
  exports: Settings['exports'],
): Pick<Config, 'exports' | 'exportsMode' | 'objects'> {
  const settings = typeof exports === 'string' ? placeNamed(exports) : exports
  if (settings.url !== undefined) {
    const objects = objectPlace(dirname(localFiles), settings)
    return { exports: objects.mirror, exportsMode: undefined, objects }
  }
  const { folder: named, mode } = settings
  return {
    exports: resolve(folder, named),
    exportsMode: mode === undefined ? undefined : parseInt(mode, 8),
    objects: undefined,
  }
}

/** Written without any details. */
const placeNamed = (
  exports: string,
): { url: string } | { folder: string; mode?: string; url?: undefined } =>
  isObjectAddress(exports) ? { url: exports } : { folder: exports }

/** What stands between the braces is not repeated: somebody may have put the key itself there. */
const sayMisnamed = (place: string): string =>
  `${place} does not name an environment variable as it must; write it like \${TILLAGE_PARTNER_KEY}`

/** Entries that are right by themselves, and not beside each other. */
const findConflicts = (settings: Settings, places: readonly StorePlace[]): string[] => [
  ...findBackupOfServer(settings),
  ...findSameIds(settings.stores.map(({ id }, at) => ({ id, file: places[at]?.file }))),
  ...findUnknownStores(settings),
  ...findProblems(
    settings.accounting,
    [...new Set(settings.stores.map(({ id }) => id))],
    settings.schedules.nightly.journal,
  ),
]

const findBackupOfServer = ({ backup, database }: Settings): string[] =>
  backup !== undefined && isServerAddress(database)
    ? ['backup is for a file of SQLite; a PostgreSQL server has backups of its own']
    : []

const findUnknownStores = ({ stores, notify }: Settings): string[] =>
  notify.routes.flatMap(({ stores: named = [] }, at) =>
    named
      .filter(one => !stores.some(({ id }) => id === one))
      .map(one => `notify.routes[${at}].stores names ${one}, and there is no such store`),
  )

/** `file`: of a store that stands in one of its own. */
function findSameIds(stores: readonly { id: string; file: string | undefined }[]): string[] {
  const alike = Map.groupBy(stores, ({ id }) => id.toLowerCase()).values()
  return [...alike]
    .filter(({ length }) => length > 1)
    .map(same => {
      const [id, ...others] = same.map(store => store.id)
      const files = new Set(same.flatMap(({ file }) => file ?? []))
      const where = files.size === 0 ? '' : ` (${[...files].join(', ')})`
      return others.every(other => other === id)
        ? `two stores have the id ${id}${where}`
        : `the stores ${[id, ...others].join(' and ')} differ by the case of their ids alone${where}: ` +
            'their exports would share one folder where a disk takes both for the same'
    })
}

function temporalIn(folder: string, temporal: Settings['temporal']): Settings['temporal'] {
  if (temporal === 'embedded' || typeof temporal.tls !== 'object') return temporal
  const { serverName, ...files } = temporal.tls
  const paths = Object.entries(files).map(([name, path = '']) => [name, resolve(folder, path)])
  const named = serverName === undefined ? {} : { serverName }
  return { ...temporal, tls: { ...(Object.fromEntries(paths) as typeof files), ...named } }
}

/** Files of catalogs are named relative to the configuration. */
const backupIn = (folder: string, backup: Settings['backup']): Settings['backup'] =>
  backup && { ...backup, to: resolve(folder, backup.to) }

const inFolder = (folder: string, push: PushSettings): PushSettings => ({
  ...push,
  files: push.files.map(file => ({ ...file, path: resolve(folder, file.path) })),
})
