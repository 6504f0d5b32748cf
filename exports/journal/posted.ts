import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseError } from '../../errors.ts'
import { parseManifest } from '../manifest.ts'
import type { ManifestFile, StoredManifest } from '../manifest.ts'
import type { JournalEntry } from './entry.ts'
import { readGeneric } from './formats/generic.ts'

/** The dataset that remembers what was posted. */
export const BOOKS_OF_RECORD = 'daily_sales_journal'

/**
 * Everything that was posted for a day, oldest first, from the files that were given out and not from what would be
 * computed today (INV-9). Follows the manifests back; throws where a file is gone or no longer what was published.
 */
export function readPosted(out: string, newest: StoredManifest | undefined, businessDate: string): JournalEntry[] {
  const files = new Map<string, ManifestFile>()
  for (let manifest = newest?.manifest; manifest !== undefined; ) {
    for (const file of manifest.files) if (file.dataset === BOOKS_OF_RECORD) files.set(file.path, file)
    const { previous }: { previous: { path: string; sha256: string } | null } = manifest
    manifest = previous === null ? undefined : parseManifest(readPublished(out, previous.path, previous.sha256))
  }
  return [...files.values()].sort((a, b) => a.revision - b.revision).flatMap(({ path, sha256 }) => readGeneric(readPublished(out, path, sha256), businessDate))
}

function readPublished(out: string, name: string, sha256: string): string {
  const path = join(out, name)
  const remedy = 'restore it from a backup: what changed since then is posted as a difference to it'
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    throw new DatabaseError('DATABASE_BROKEN', `${path} was published and is gone, so nobody knows what the books hold`, { remedy })
  }
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new DatabaseError('DATABASE_BROKEN', `${path} is not what was published, so nobody knows what the books hold`, { remedy })
  return bytes.toString('utf8')
}
