import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { explainIssues } from './config/problems.ts'
import { configSchema, USUAL_DATABASE } from './config/schema.ts'
import type { Settings } from './config/schema.ts'
import { replaceSecrets } from './config/secrets.ts'
import { fillInVariables } from './config/variables.ts'
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
   * The file it came from; relative paths in it are relative to its folder, and are absolute here.
   */
  file: string
}

/**
 * The one reader of files and environment; everything else gets what it needs as arguments. Throws
 * a ConfigError that lists every problem by its place in the file. Secrets are never quoted.
 */
export function loadConfig(
  file: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const path = resolve(file)
  if (!existsSync(path)) throw notThere(file, path)
  const { document, missing, misnamed } = fillInVariables(
    parseYaml(file, readText(file, path)),
    environment,
  )
  const parsed = configSchema.safeParse(document ?? {})
  const problems = [
    ...missing.map(name => `\${${name}} is not set in the environment`),
    ...misnamed.map(sayMisnamed),
    ...(parsed.success
      ? findConflicts(parsed.data)
      : explainIssues(configSchema, parsed.error.issues)),
  ]
  if (!parsed.success || problems.length > 0)
    throw new ConfigError(
      file,
      problems,
      problems.length === missing.length
        ? 'Nothing was started. Set what is missing (export NAME=...) and run the command again.'
        : 'Nothing was started. Fix the file and run the command again.',
    )
  replaceSecrets(parsed.data, rememberSecret)
  const folder = dirname(path)
  const place = databaseOf(folder, parsed.data.database)
  return {
    ...parsed.data,
    file: path,
    ...place,
    ...exportsOf({ folder, localFiles: place.localFiles }, parsed.data.exports),
    push: inFolder(folder, parsed.data.push),
    backup: backupIn(folder, parsed.data.backup),
  }
}

const notThere = (file: string, path: string): ConfigError =>
  new ConfigError(
    file,
    [`the file does not exist (looked for ${path})`],
    'Write one with tillage init, or name another file with --config. ' +
      'To look around without one: tillage demo',
  )

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

/** What stands between the braces is not repeated: somebody may have put the key itself there. */
const sayMisnamed = (place: string): string =>
  `${place} has \${...} without the name of an environment variable in it; ` +
  'write it like ${TILLAGE_PARTNER_KEY}'

/** Entries that are right by themselves, and not beside each other. */
const findConflicts = (settings: Settings): string[] => [
  ...findBackupOfServer(settings),
  ...findSameIds(settings.stores.map(({ id }) => id)),
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

function findSameIds(ids: readonly string[]): string[] {
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

/** Files of catalogs are named relative to the configuration. */
const backupIn = (folder: string, backup: Settings['backup']): Settings['backup'] =>
  backup && { ...backup, to: resolve(folder, backup.to) }

const inFolder = (folder: string, push: PushSettings): PushSettings => ({
  ...push,
  files: push.files.map(file => ({ ...file, path: resolve(folder, file.path) })),
})
