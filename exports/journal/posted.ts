import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseError, TillageError } from '../../errors.ts'
import { sha256Of } from '../../sha256.ts'
import { parseManifest } from '../revisions/manifest.ts'
import type { Manifest, ManifestFile, StoredManifest } from '../revisions/manifest.ts'
import type { JournalException } from './checks.ts'
import type { JournalEntry } from './entry.ts'
import { EXCEPTIONS, readExceptions } from './formats/exceptions.ts'
import { readGeneric } from './formats/generic.ts'

/** The dataset that remembers what was posted. */
export const BOOKS_OF_RECORD = 'daily_sales_journal'

/**
 * Everything that was posted for a day, oldest first, from the files that were given out and not
 * from what would be computed today (INV-9); `undefined` where no journal was given out yet, which
 * an empty one is not. Throws where a file is gone or no longer what was published.
 */
export function readPosted(
  newest: StoredManifest | undefined,
  businessDate: string,
): JournalEntry[] | undefined {
  const files = publishedFiles(newest, BOOKS_OF_RECORD)
  return files.length === 0
    ? undefined
    : files.flatMap(({ path, sha256 }) =>
        readGeneric(readPublished(newest!.folder, path, sha256), businessDate),
      )
}

/**
 * What somebody accepted last, each difference with its transaction: a line of suspense tells of it
 * only where something was left to book.
 */
export function readAccepted(newest: StoredManifest | undefined): JournalException[] {
  const files = publishedFiles(newest, EXCEPTIONS).toReversed()
  for (const { path, sha256 } of files) {
    const accepted = readExceptions(readPublished(newest!.folder, path, sha256)).filter(
      ({ severity }) => severity === 'override',
    )
    if (accepted.length > 0) return accepted
  }
  return []
}

/** The files that a dataset of a day ever had, oldest first; follows the manifests back. */
function publishedFiles(newest: StoredManifest | undefined, dataset: string): ManifestFile[] {
  const files = new Map<string, ManifestFile>()
  const folder = newest?.folder ?? ''
  for (
    let manifest = newest?.manifest;
    manifest !== undefined;
    manifest = before(folder, manifest)
  ) {
    for (const file of manifest.files) if (file.dataset === dataset) files.set(file.path, file)
  }
  return [...files.values()].sort((a, b) => a.revision - b.revision)
}

function before(out: string, { previous }: Manifest): Manifest | undefined {
  if (previous === null) return undefined
  const manifest = parseManifest(readPublished(out, previous.path, previous.sha256))
  if (manifest === undefined)
    throw new DatabaseError(
      'DATABASE_BROKEN',
      `${join(out, previous.path)} cannot be read by this version of Tillage, ` +
        'so nobody knows what the books hold',
      { remedy: 'use the version that wrote it, or a newer one' },
    )
  return manifest
}

function readPublished(out: string, name: string, sha256: string): string {
  const path = join(out, name)
  const remedy = 'restore it from a backup: what changed since then is posted as a difference to it'
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    throw new TillageError(
      'EVIDENCE_CHANGED',
      `${path} was published and is gone, so nobody knows what the books hold`,
      { remedy },
    )
  }
  if (sha256Of(bytes) !== sha256)
    throw new TillageError(
      'EVIDENCE_CHANGED',
      `${path} is not what was published, so nobody knows what the books hold`,
      { remedy },
    )
  return bytes.toString('utf8')
}
