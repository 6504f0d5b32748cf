import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TillageError, UsageError } from '../errors.ts'
import { writeOnce } from '../outbound/write-once.ts'
import { sha256Of } from '../sha256.ts'
import { refuseDiscardedAudit } from './discard.ts'
import { keepCopy, newestReportName } from './folder.ts'
import type { AuditFolder } from './folder.ts'

/** A file with counts, as the audit's folder keeps it. */
export interface KeptCounts {
  /** Inside the folder. */
  file: string
  sha256: string
}

/** In the folder of each report: which files it compared. */
const COUNTED = 'counted.json'

/** Copies of files with counts. */
export const keepCounts = (folder: AuditFolder, files: readonly string[]): KeptCounts[] =>
  files.map(file => ({
    file: keepCopy(folder, 'counts', file).slice(folder.path.length + 1),
    sha256: sha256Of(readFileSync(file)),
  }))

/** Beside the tables of a report, and after them: where it is, the report is whole. */
export const noteCounted = (report: string, kept: readonly KeptCounts[]): void =>
  writeOnce(join(report, COUNTED), `${JSON.stringify(kept, null, 2)}\n`)

/** Whether a plan can be made of what the newest report compared, without any file. */
export const hasReportedCounts = (folder: AuditFolder): boolean =>
  pathOfCounted(folder) !== undefined

/** The counts that the newest report compared: nobody has to name the same files once more. */
export function reportedCounts(folder: AuditFolder): string[] {
  refuseDiscardedAudit(folder)
  const path = pathOfCounted(folder)
  if (path === undefined)
    throw new UsageError(
      `no report of ${folder.audit} says which counts it compared`,
      `Name the files, or compare them first: tillage audit report ${folder.audit} --counts FILE`,
    )
  const kept = JSON.parse(readFileSync(path, 'utf8')) as KeptCounts[]
  return kept.map(one => unchanged(folder, one))
}

/** Reports of before did not say it. */
function pathOfCounted(folder: AuditFolder): string | undefined {
  const report = newestReportName(folder)
  if (report === undefined) return undefined
  const path = join(folder.path, 'reports', report, COUNTED)
  return existsSync(path) ? path : undefined
}

/** What was changed since is no count (INV-9). */
function unchanged({ path }: AuditFolder, { file, sha256 }: KeptCounts): string {
  const copy = join(path, file)
  if (existsSync(copy) && sha256Of(readFileSync(copy)) === sha256) return copy
  throw new TillageError('EVIDENCE_CHANGED', `${copy} is not as the report compared it`, {
    remedy: 'Restore it from a backup, or name the files that were counted.',
  })
}
