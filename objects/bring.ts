import { randomUUID } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { TillageError } from '../errors.ts'
import { tryContents } from './manifest-contents.ts'
import { fetchObject } from './objects.ts'
import { addressOf } from './place.ts'
import type { ObjectPlace } from './place.ts'

/** False where it is not in the bucket, or is not as it was given out: then nothing is brought. */
export const bringFile = async (
  place: ObjectPlace,
  path: string,
  sha256: string,
): Promise<boolean> => (await fetchObject(place, path, { expected: sha256 })) === sha256

/** Which manifest is brought, and how. */
export interface Expected {
  sha256: string
  /** Where to. Default: to its place in the mirror. */
  to?: string
}

/** Brings a manifest without its files. False: it was never given out. */
export async function bringManifest(
  place: ObjectPlace,
  path: string,
  { sha256, to = path }: Expected,
): Promise<boolean> {
  const found = await fetchObject(place, path, { to, expected: sha256 })
  if (found === undefined) return false
  if (found !== sha256)
    throw notAsGiven(`${addressOf(place, path)} is not as it was given out (sha256 ${found})`)
  return true
}

/** Brings whatever has the name of a manifest, if it is one: a gateway may answer with a page. */
export async function bringAnyManifest(place: ObjectPlace, path: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}.brought`)
  try {
    if ((await fetchObject(place, path, { to: draft })) === undefined) return
    if (tryContents(draft) === undefined)
      throw notAsGiven(`${addressOf(place, path)} is no manifest`)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

export const isNotAsGiven = (error: unknown): error is TillageError =>
  error instanceof TillageError && error.code === 'EVIDENCE_CHANGED'

export const notAsGiven = (what: string): TillageError =>
  new TillageError('EVIDENCE_CHANGED', what, {
    remedy: 'Restore the version that was written first, if the bucket keeps versions.',
  })
