import { globSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../errors.ts'
import { placeOf } from './places.ts'
import { readText } from './source.ts'
import type { SettingsSource } from './source.ts'
import { fillInVariables } from './variables.ts'
import type { Environment, FilledIn } from './variables.ts'
import { parseYaml } from './yaml.ts'

/** Where a store stands: at a path of `tillage.yaml`, or of a file of stores. */
export interface StorePlace {
  /** Relative to tillage.yaml, as messages call it; undefined: in tillage.yaml itself. */
  file?: string
  path: readonly PropertyKey[]
}

/** A file of stores, as somebody wrote it. */
export interface StoreFile {
  name: string
  text: string
  /** Which entry of `stores:` names it, from 0. */
  entry: number
}

/** The settings with every store in them, wherever it stands. */
export interface GatheredStores extends FilledIn {
  /** Of each store, in order. */
  places: StorePlace[]
  files: StoreFile[]
}

/** What `stores:` says, entry by entry: a text names files, all else is a store. */
const entriesOf = (document: unknown): unknown[] => {
  const { stores } = (document ?? {}) as { stores?: unknown }
  if (typeof stores === 'string') return [stores]
  return Array.isArray(stores) ? (stores as unknown[]) : []
}

/** The files that `stores:` names, as patterns. */
export const patternsOf = (document: unknown): string[] =>
  entriesOf(document).filter(entry => typeof entry === 'string')

/** The files of a pattern by name; without folders, and those whose name begins with a dot. */
export const filesOfPattern = (folder: string, pattern: string): string[] =>
  globSync(pattern, { cwd: folder })
    .filter(name => !isFolder(resolve(folder, name)))
    .toSorted()

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Puts the stores of files in the place of the patterns that name them. Throws a ConfigError where
 * a pattern finds no file, or a file has no store.
 */
export function gatherStores(
  written: unknown,
  { name, folder }: Pick<SettingsSource, 'name' | 'folder'>,
  environment: Environment,
): GatheredStores {
  const main = fillInVariables(written, environment)
  const files: StoreFile[] = []
  const problems: string[] = []
  const filled: FilledIn[] = []
  const found = entriesOf(main.document).flatMap((entry, at) =>
    typeof entry === 'string'
      ? filesIn(entry, at).flatMap(storesIn)
      : [{ value: entry, place: { path: ['stores', at] } }],
  )
  if (problems.length > 0)
    throw new ConfigError(
      name,
      problems,
      'Nothing was started. Fix that and run the command again.',
    )
  return {
    files,
    places: found.map(({ place }) => place),
    document:
      files.length === 0
        ? main.document
        : { ...(main.document as object), stores: found.map(({ value }) => value) },
    missing: [...new Set([main, ...filled].flatMap(({ missing }) => missing))],
    misnamed: [main, ...filled].flatMap(({ misnamed }) => misnamed),
  }

  /** A file that two patterns find is read once. */
  function filesIn(pattern: string, entry: number): StoreFile[] {
    const names = filesOfPattern(folder, pattern)
    // As somebody wrote it: what is filled in may be a key in the wrong place.
    if (names.length === 0) problems.push(sayNoFile(String(entriesOf(written)[entry]), folder))
    const read = names
      .filter(file => files.every(known => known.name !== file))
      .map(file => ({ name: file, text: readText(file, resolve(folder, file)), entry }))
    files.push(...read)
    return read
  }

  function storesIn({ name: file, text }: StoreFile): { value: unknown; place: StorePlace }[] {
    const { document, missing, misnamed } = fillInVariables(parseYaml(file, text), environment)
    filled.push({ document, missing, misnamed: misnamed.map(place => `${file}: ${place}`) })
    if (Array.isArray(document) && document.length > 0)
      return document.map((value: unknown, at) => ({ value, place: { file, path: [at] } }))
    if (typeof document !== 'object' || Array.isArray(document) || document === null)
      problems.push(`${file} has no store: write one store into it, or a list of stores`)
    else if ('stores' in document)
      problems.push(`${file} begins with stores: leave that out, and write the store itself`)
    return [{ value: document, place: { file, path: [] } }]
  }
}

const sayNoFile = (pattern: string, folder: string): string =>
  `stores: there is no file ${pattern} (looked in ${folder}). ` +
  'Write the stores themselves, or the files that have them, like ./stores/*.yaml'

/** `stores[0].partnerKey`, `stores/downtown.yaml: partnerKey` or `stores/west.yaml: [2].limits`. */
export function placeAmong(
  stores: readonly StorePlace[],
): (path: readonly PropertyKey[]) => string {
  return path => {
    const [section, at, ...inside] = path
    const store = section === 'stores' ? stores[Number(at)] : undefined
    if (store === undefined) return placeOf(path)
    const place = placeOf([...store.path, ...inside])
    return [store.file ?? '', place].filter(part => part !== '').join(': ')
  }
}
