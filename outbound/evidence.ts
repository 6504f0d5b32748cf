/**
 * The folder of an audit or a push: everything about it lies in one place, and each step leaves a
 * manifest that names all files with their hashes, and the manifest before it (INV-9).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'
import { TillageError } from '../errors.ts'
import { sha256Of } from '../sha256.ts'
import { writeOnce } from './write-once.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
/** Inside the manifest's own folder, so that a manifest cannot point at anything else. */
const inside = z.string().regex(/^(?!.*\.\.)[^/\\][^\\]*$/)

const evidenceShape = z.object({
  evidence: z.literal(1),
  tool: z.string(),
  kind: z.enum(['audit', 'push']),
  id: z.string(),
  store: z.string(),
  revision: z.int().min(0),
  files: z.array(
    z.object({
      path: inside,
      bytes: z.int(),
      sha256,
      /** Of tables: what it is, and how many rows it has. */
      dataset: z.string().optional(),
      format: z.string().optional(),
      rows: z.int().optional(),
    }),
  ),
  /** Files that people may write into, such as count sheets, and have. */
  changed: z.array(z.object({ path: inside, from: sha256, to: sha256 })),
  previous: z.object({ path: inside, sha256 }).nullable(),
})

export type EvidenceManifest = z.infer<typeof evidenceShape>
export type EvidenceFile = EvidenceManifest['files'][number]

export interface EvidenceFolder {
  path: string
  tool: string
  kind: EvidenceManifest['kind']
  id: string
  store: string
  /** Folders below it whose files people may change. */
  forPeople?: readonly string[]
}

/** What a table in the folder is, by its path. */
export type TableFacts = Pick<EvidenceFile, 'dataset' | 'format' | 'rows'>

/**
 * Puts the folder as it is now under a manifest, and answers its path. Nothing new: the newest
 * stays. A file that is never rewritten and was, or is gone, is an error.
 */
export function sealFolder(
  folder: EvidenceFolder,
  tables: Readonly<Record<string, TableFacts>> = {},
): string {
  const newest = newestEvidence(folder.path, folder.id)
  const known = new Map(newest?.evidence.files.map(file => [file.path, file]))
  const files = listFiles(folder.path).map((path): EvidenceFile => {
    const bytes = readFileSync(join(folder.path, path))
    const { dataset, format, rows } = known.get(path) ?? {}
    const facts = { dataset, format, rows, ...tables[path] }
    return {
      path,
      bytes: bytes.length,
      sha256: sha256Of(bytes),
      ...(Object.fromEntries(
        Object.entries(facts).filter(([, value]) => value !== undefined),
      ) as TableFacts),
    }
  })
  const changed = findChanged(folder, known, files)
  if (newest !== undefined && JSON.stringify(newest.evidence.files) === JSON.stringify(files))
    return join(folder.path, newest.name)
  const revision = (newest?.evidence.revision ?? -1) + 1
  const name = evidenceName(folder.id, revision)
  const { tool, kind, id, store } = folder
  const previous = newest === undefined ? null : { path: newest.name, sha256: newest.sha256 }
  const evidence: EvidenceManifest = {
    evidence: 1,
    tool,
    kind,
    id,
    store,
    revision,
    files,
    changed,
    previous,
  }
  writeOnce(join(folder.path, name), `${JSON.stringify(evidence, null, 2)}\n`)
  return join(folder.path, name)
}

function findChanged(
  folder: EvidenceFolder,
  known: ReadonlyMap<string, EvidenceFile>,
  files: readonly EvidenceFile[],
): EvidenceManifest['changed'] {
  const now = new Map(files.map(file => [file.path, file.sha256]))
  const different = [...known.values()].filter(file => now.get(file.path) !== file.sha256)
  const isForPeople = (path: string): boolean =>
    folder.forPeople?.some(name => path.startsWith(`${name}/`)) === true
  const broken = different.find(({ path }) => !isForPeople(path))
  if (broken !== undefined)
    throw new TillageError(
      'EVIDENCE_CHANGED',
      `${join(folder.path, broken.path)} is ` +
        (now.has(broken.path) ? 'not as it was written' : 'gone'),
      {
        remedy: 'Restore it from a backup; tillage verify on the manifest says what else changed.',
      },
    )
  return different.flatMap(({ path, sha256: from }) => {
    const to = now.get(path)
    return to === undefined ? [] : [{ path, from, to }]
  })
}

/** Every file below a folder but its own manifests, with `/` between folders, sorted. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(path => !/^manifest_.+_r\d+\.json$/.test(path) && !/(^|\/)[.~]|\.tmp$/.test(path))
    .toSorted()
}

export const evidenceName = (id: string, revision: number): string =>
  `manifest_${id}_r${revision}.json`

/** Undefined if the text is no such manifest. */
export function parseEvidence(text: string): EvidenceManifest | undefined {
  try {
    return evidenceShape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

export function newestEvidence(
  folder: string,
  id: string,
): { name: string; sha256: string; evidence: EvidenceManifest } | undefined {
  if (!existsSync(folder)) return undefined
  const prefix = evidenceName(id, 0).slice(0, -'0.json'.length)
  const revisions = readdirSync(folder)
    .filter(name => name.startsWith(prefix) && /^\d+\.json$/.test(name.slice(prefix.length)))
    .map(name => Number(name.slice(prefix.length, -'.json'.length)))
  if (revisions.length === 0) return undefined
  const name = evidenceName(id, Math.max(...revisions))
  const bytes = readFileSync(join(folder, name))
  const evidence = parseEvidence(bytes.toString('utf8'))
  if (evidence === undefined)
    throw new TillageError(
      'EVIDENCE_CHANGED',
      `${join(folder, name)} is not the manifest that its name promises`,
      { remedy: 'Move it away, or restore it from a backup.' },
    )
  return { name, sha256: sha256Of(bytes), evidence }
}

/** The newest manifest above a file that names it, and what it says of it. */
export function findManifestOf(path: string): { manifest: string; file: EvidenceFile } | undefined {
  /** Receipts lie in the folder of a plan, which is in that of its audit. */
  const UP = 5
  let folder = dirname(path)
  for (let up = 0; up < UP; up++, folder = dirname(folder)) {
    for (const id of evidenceIds(folder)) {
      const newest = newestEvidence(folder, id)
      const inner = relative(folder, path).split(sep).join('/')
      const file = newest?.evidence.files.find(entry => entry.path === inner)
      if (newest !== undefined && file !== undefined)
        return { manifest: join(folder, newest.name), file }
    }
  }
  return undefined
}

const evidenceIds = (folder: string): string[] => [
  ...new Set(
    readdirSync(folder).flatMap(name => /^manifest_(.+)_r\d+\.json$/.exec(name)?.slice(1, 2) ?? []),
  ),
]
