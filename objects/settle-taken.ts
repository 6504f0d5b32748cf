import { basename } from 'node:path'
import { bringManifest } from './bring.ts'
import type { ObjectPlace } from './place.ts'
import { ObjectTaken } from './put.ts'

/**
 * What to know before a range is given out anew, since a name of it was taken. A manifest of
 * another machine is brought: what comes now follows it. Undefined: it failed for another reason.
 */
export async function settleTaken(
  place: ObjectPlace,
  error: unknown,
): Promise<{ name: string; sha256: string } | undefined> {
  if (!(error instanceof ObjectTaken)) return undefined
  const { path, sha256 } = error
  const name = basename(path)
  if (name.startsWith('manifest_'))
    await bringManifest(place, path, { sha256: undefined, isWanted: () => false })
  return { name, sha256 }
}
