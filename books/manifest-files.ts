import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { GivenFile } from '../connectors/destination/given-out.ts'
import { filesOf, parseManifest } from '../exports/revisions/manifest.ts'

/** What a folder held when it was read, and its time then. */
interface KnownFolder {
  changedMs: number
  /** It had just changed when it was read: what came after that may have left it the same time. */
  isFresh: boolean
  folders: readonly string[]
  /** Those that its manifests list. */
  files: readonly GivenFile[]
}

const known = new Map<string, KnownFolder>()
/** File systems keep times as coarse as that. */
const COARSEST_TIME_MS = 2_000
/** Of long processes: a year of some hundred stores. */
const MOST_KNOWN = 50_000

/**
 * Every file that a manifest below the exports folder lists; with a store, those of its folder, and
 * of before there were folders.
 */
export function manifestFiles(out: string, store?: string): GivenFile[] {
  const { folders, files } = readFolder(out)
  const asked = store === undefined ? folders : folders.filter(name => name === store)
  return [...files, ...asked.flatMap(name => filesBelow(join(out, name)))]
}

function filesBelow(folder: string): GivenFile[] {
  const { folders, files } = readFolder(folder)
  return [...files, ...folders.flatMap(name => filesBelow(join(folder, name)))]
}

/**
 * Files are made under other names and renamed, and a name belongs to its bytes: a folder that has
 * not changed holds the same.
 */
function readFolder(folder: string): KnownFolder {
  const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
  if (changedMs === undefined) return { changedMs: 0, isFresh: true, folders: [], files: [] }
  const before = known.get(folder)
  if (before?.changedMs === changedMs && !before.isFresh) return before
  const isFresh = changedMs > Date.now() - COARSEST_TIME_MS
  const entries = readdirSync(folder, { withFileTypes: true })
  const manifests = entries.filter(({ name }) => /^manifest_.*\.json$/.test(name))
  const read = {
    changedMs,
    isFresh,
    folders: entries.filter(entry => entry.isDirectory()).map(({ name }) => name),
    files: manifests.flatMap(({ name }) => listedBy(folder, name)),
  }
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(folder, read)
  return read
}

function listedBy(folder: string, name: string): GivenFile[] {
  const manifest = parseManifest(readFileSync(join(folder, name), 'utf8'))
  return manifest === undefined ? [] : filesOf({ folder, manifest })
}
