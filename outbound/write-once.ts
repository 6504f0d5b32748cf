import { randomUUID } from 'node:crypto'
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, diskError, makeFolder, syncFolder } from '../disk.ts'
import { TillageError } from '../errors.ts'
import { sha256Of } from '../sha256.ts'

/**
 * Writes a file that is never written again: whole or not at all, read-only, on the disk when this
 * returns. The same bytes again are fine; others are refused.
 */
export function writeOnce(path: string, bytes: string | Buffer): void {
  makeFolder(dirname(path))
  if (existsSync(path)) return refuseOther(path, bytes)
  const prepared = `${path}.${randomUUID()}.tmp`
  try {
    writeFileSync(prepared, bytes, { flag: 'wx', mode: 0o444, flush: true })
    // A link, unlike a rename, never replaces what is there.
    linkSync(prepared, path)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EEXIST') throw diskError(path, code, { cause: error }) ?? error
    refuseOther(path, bytes)
  } finally {
    rmSync(prepared, { force: true })
  }
  syncFolder(dirname(path))
}

/** Longer than any file of ours takes to be written. */
const LEFT_AFTER_MS = 60 * 60 * 1000

/** Takes away what writers that were killed have left half-way, below a folder. */
export function removeLeftovers(folder: string, nowMs: number): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!LEFTOVER.test(name)) continue
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {}
    if (mtimeMs !== undefined && nowMs - mtimeMs > LEFT_AFTER_MS)
      rmSync(join(folder, name), { force: true })
  }
}

/** As `writeOnce` names what it prepares. */
const LEFTOVER = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/

/** Fails with EVIDENCE_CHANGED where the file that is there holds something else. */
export function refuseOther(path: string, bytes: string | Buffer): void {
  if (sha256Of(readFileSync(path)) === sha256Of(bytes)) return
  throw new TillageError('EVIDENCE_CHANGED', `${path} is there already, with another content`, {
    remedy: 'It is evidence and is never rewritten: move it away, or restore what was written.',
  })
}
