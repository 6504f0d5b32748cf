import { join } from 'node:path'
import type { Dataset } from './dataset.ts'
import { isOfJournal, JOURNAL_DATASETS } from './journal/write-formats.ts'
import type { ExportOrder, ExportResult } from './request.ts'
import type { ManifestFile, StoredManifest } from './revisions/manifest.ts'
import type { PreparedRevision } from './revisions/prepare-revision.ts'
import type { ExportRun } from './run.ts'
import { RESTATEMENT } from './sales/restatement.ts'

/** What the caller is told: the files that it asked for, whether or not this run wrote them. */
export function describeResult(
  order: ExportOrder,
  { wanted }: ExportRun,
  { decision, numbered, journal, beyondType }: PreparedRevision,
  current: StoredManifest | undefined,
): ExportResult {
  const { folder } = decision
  const written = decision.moves.map(({ name }) => name)
  // A journal's files for other importers, too, where this run gave them out.
  const asked = (current?.manifest.files ?? []).filter(
    file =>
      isAsked(file, order, wanted) ||
      (JOURNAL_DATASETS.includes(file.dataset) && written.includes(file.path)),
  )
  const revisions = numbered
    .filter(({ stream }) => wanted.some(dataset => dataset.stream === stream))
    .map(({ revision }) => revision)
  return {
    files: asked.map(({ path, format, dataset, rows, bytes, sha256 }) => ({
      path: join(folder, path),
      format,
      dataset,
      rows,
      bytes,
      sha256,
    })),
    manifest: current === undefined ? '' : join(folder, current.name),
    revision: Math.max(0, ...revisions),
    beyondType,
    published: decision.manifest !== undefined,
    ...(journal === undefined ? {} : { journal: journal.outcome }),
  }
}

function isAsked(
  { dataset, format }: ManifestFile,
  { formats, journal }: ExportOrder,
  wanted: readonly Dataset[],
): boolean {
  if (dataset === RESTATEMENT) return wanted.some(({ relation }) => relation !== undefined)
  if (journal !== undefined && isOfJournal(dataset, journal.formats)) return true
  return wanted.some(({ name }) => name === dataset) && formats.some(one => one === format)
}
