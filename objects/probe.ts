import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTemporaryFolder } from '../disk.ts'
import { TillageError } from '../errors.ts'
import { sha256Of } from '../sha256.ts'
import { hashOf, removeObject, sizeOf } from './objects.ts'
import { bucketOf } from './place.ts'
import type { ObjectPlace } from './place.ts'
import { isKeptFromParts } from './probe-parts.ts'
import { ObjectTaken, putOnce } from './put.ts'

/**
 * Tries with an object of its own what exports do in the bucket: to look for one, to put it, to
 * read it, and to be kept from putting another in its place, whole or in parts. Answers whether it
 * could be removed again. Fails as an export would.
 */
export async function probeBucket(place: ObjectPlace): Promise<{ isRemoved: boolean }> {
  const path = join(place.mirror, `.probe-${randomUUID()}`)
  const tried = await inTemporaryFolder(async folder => {
    const [first, second] = ['the first', 'another'].map(text => draftOf(folder, text))
    await sizeOf(place, path)
    await putOnce(place, { path, ...first! })
    await hashOf(place, path)
    const isKept =
      (await isKeptFrom(place, { path, ...second! })) && (await isKeptFromParts(place, path))
    return { isKept, isRemoved: await remove(place, path) }
  })
  if (tried.isKept) return { isRemoved: tried.isRemoved }
  const { bucket } = bucketOf(place)
  throw new TillageError(
    'OBJECTS_WITHOUT_CONDITIONS',
    `the server of the bucket ${bucket} takes no notice of "If-None-Match: *": it wrote over an ` +
      'object, so two machines could give out the same day and one would be lost',
    {
      remedy:
        'Use a server that keeps conditional writes (Amazon S3, and most that are kept up), ' +
        'or a folder as exports.',
    },
  )
}

function draftOf(folder: string, text: string): { from: string; sha256: string } {
  const from = join(folder, text)
  writeFileSync(from, text)
  return { from, sha256: sha256Of(text) }
}

async function isKeptFrom(
  place: ObjectPlace,
  file: Parameters<typeof putOnce>[1],
): Promise<boolean> {
  try {
    await putOnce(place, file)
    return false
  } catch (error) {
    if (error instanceof ObjectTaken) return true
    throw error
  }
}

/** Exports never need that right, so it is no failure to be without. */
async function remove(place: ObjectPlace, path: string): Promise<boolean> {
  try {
    await removeObject(place, path)
    return true
  } catch (error) {
    if (error instanceof TillageError && error.code === 'OBJECTS_REFUSED') return false
    throw error
  }
}
