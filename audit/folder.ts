import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { ManifestLog } from '../connectors/destination/written-evidence.ts'
import { TillageError } from '../errors.ts'
import { newestEvidence, sealFolder } from '../outbound/evidence.ts'
import type { TableFacts } from '../outbound/evidence.ts'
import { writeOnce } from '../outbound/write-once.ts'
import { sha256Of } from '../sha256.ts'
import { VERSION } from '../version.ts'
import type { Snapshot } from './snapshot.ts'

/** A file as commands answer it. */
export interface WrittenFile {
  dataset: string
  path: string
  format: string
  rows: number
  sha256: string
}

/** The one place where everything about an audit lies. */
export interface AuditFolder {
  path: string
  audit: string
  store: string
}

const SNAPSHOT = 'snapshot.json'

/** Handed out to be written into. */
const FOR_PEOPLE = ['sheets']

export const auditFolder = (exports: string, store: string, audit: string): AuditFolder => ({
  path: join(exports, store, 'audits', audit),
  audit,
  store,
})

/** The folder of an audit, by its id or that of its sheets, in any case; undefined: none has it. */
export function findAudit(exports: string, id: string): AuditFolder | undefined {
  const wanted = id.toUpperCase().replace(/^CS-/, 'AUD-')
  return allAudits(exports).find(({ audit }) => audit.toUpperCase() === wanted)
}

/** Those of all stores, also of what has another id now, or is no more in tillage.yaml. */
export const allAudits = (exports: string): AuditFolder[] =>
  existsSync(exports) ? readdirSync(exports).flatMap(store => auditsOf(exports, store)) : []

/** All audits of a store, oldest first. */
export function auditsOf(exports: string, store: string): AuditFolder[] {
  const folder = join(exports, store, 'audits')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => existsSync(join(folder, name, SNAPSHOT)))
    .toSorted()
    .map(audit => auditFolder(exports, store, audit))
}

export const keepSnapshot = ({ path }: AuditFolder, snapshot: Snapshot): void =>
  writeOnce(join(path, SNAPSHOT), `${JSON.stringify(snapshot, null, 2)}\n`)

/** As it was taken: what was changed since, or cut off, is no evidence of anything (INV-9). */
export function readSnapshot(folder: AuditFolder): Snapshot {
  const path = join(folder.path, SNAPSHOT)
  const bytes = readFileSync(path)
  const sealed = newestEvidence(folder.path, folder.audit)?.evidence.files
  const was = sealed?.find(file => file.path === SNAPSHOT)?.sha256
  const snapshot =
    was === undefined || was === sha256Of(bytes) ? parseSnapshot(bytes.toString('utf8')) : undefined
  if (snapshot !== undefined) return snapshot
  throw new TillageError('EVIDENCE_CHANGED', `${path} is not as it was written`, {
    remedy: 'Restore it from a backup; tillage verify on the manifest says what else changed.',
  })
}

/** Undefined where it was cut off before a manifest knew it. */
function parseSnapshot(json: string): Snapshot | undefined {
  try {
    return JSON.parse(json) as Snapshot
  } catch {
    return undefined
  }
}

export const snapshotHash = ({ path }: AuditFolder): string =>
  sha256Of(readFileSync(join(path, SNAPSHOT)))

/** The newest report's folder below `reports`; undefined: there is none yet. */
export function newestReportName({ path }: AuditFolder): string | undefined {
  const reports = join(path, 'reports')
  return existsSync(reports) ? readdirSync(reports).toSorted().at(-1) : undefined
}

/** Writes a table or page into the folder. Sheets are for people; all else is never rewritten. */
export function keepFile(
  folder: AuditFolder,
  name: string,
  bytes: string | Uint8Array,
  facts: { dataset: string; format: string; rows: number },
): WrittenFile {
  const path = join(folder.path, name)
  const content = Buffer.from(bytes)
  if (FOR_PEOPLE.includes(name.split('/')[0]!)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  } else writeOnce(path, content)
  return { ...facts, path, sha256: sha256Of(content) }
}

/** A copy of what came in, by its content: the same file again, or a copy, is the same copy. */
export function keepCopy(folder: AuditFolder, kind: string, file: string): string {
  const bytes = readFileSync(file)
  const name = file
    .split(sep)
    .at(-1)!
    .replaceAll(/[^\w.-]/g, '_')
  const copies = join(folder.path, kind)
  if (dirname(resolve(file)) === resolve(copies)) return join(copies, name)
  const path = join(copies, `${sha256Of(bytes).slice(0, 12)}_${name}`)
  writeOnce(path, bytes)
  return path
}

/**
 * Puts the folder under a manifest, which the audit log gets to know, and answers where that is.
 */
export async function seal(
  log: ManifestLog,
  folder: AuditFolder,
  files: readonly WrittenFile[] = [],
): Promise<string> {
  const tables: Record<string, TableFacts> = {}
  for (const { path, dataset, format, rows } of files)
    tables[relative(folder.path, path).split(sep).join('/')] = { dataset, format, rows }
  const { path, audit: id, store } = folder
  const manifest = sealFolder(
    { path, tool: `tillage ${VERSION}`, kind: 'audit', id, store, forPeople: FOR_PEOPLE },
    tables,
  )
  const sha256 = sha256Of(readFileSync(manifest))
  await log.keepManifest({ folder: resolve(path), name: basename(manifest), sha256 })
  return manifest
}
