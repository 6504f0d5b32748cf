import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../../config.ts'
import { inTemporaryFolder } from '../../disk.ts'
import { UsageError } from '../../errors.ts'
import { addressOf, isBelow, pathOf } from '../../objects/place.ts'
import type { ObjectPlace } from '../../objects/place.ts'
import type { Terminal } from '../terminal/terminal.ts'

/**
 * Verifies what lies in a bucket as a folder is verified: the folder of the address is fetched into
 * one of this machine, which is gone afterwards. What is printed names addresses.
 */
export async function verifyFromBucket(
  terminal: Terminal,
  objects: Config['objects'],
  address: string,
  verify: (terminal: Terminal, path: string) => Promise<number>,
): Promise<number> {
  const named = placeOf(objects, address)
  return inTemporaryFolder(async mirror => {
    const place = { ...named, mirror }
    const path = pathOf(place, address)
    await fetchFolder(place, folderOf(path), terminal.progress)
    mkdirSync(dirname(path), { recursive: true })
    const print = (text: string): void => terminal.print(text.replaceAll(mirror, place.url))
    return await verify({ ...terminal, print }, path)
  })
}

/** As tillage.yaml names it; else that of the address, reached as its provider's programs do. */
function placeOf(objects: Config['objects'], address: string): Omit<ObjectPlace, 'mirror'> {
  if (objects !== undefined && isBelow(objects, address)) return objects
  const [, url] = /^(s3:\/\/[^/]+)\/.*[^/]$/.exec(address) ?? []
  if (url !== undefined) return { url }
  throw new UsageError(
    `${address} names no object`,
    'Name a manifest or a receipt: s3://BUCKET/PREFIX/STORE/DAY/manifest_STORE_DAY_rN.json.',
  )
}

/** All of an audit belongs together; of an export what lies beside its manifest. */
const folderOf = (path: string): string =>
  /^.*[/\\]audits[/\\]AUD-[\w-]+(?=[/\\])/.exec(path)?.[0] ?? dirname(path)

async function fetchFolder(
  place: ObjectPlace,
  folder: string,
  progress: (line: string) => void,
): Promise<void> {
  const { fetchObject, sizesBelow } = await import('../../objects/objects.ts')
  const { forEach } = await import('../../objects/for-each.ts')
  const found = [...(await sizesBelow(place, folder)).keys()]
  progress(`fetching ${found.length} objects from ${addressOf(place, folder)}`)
  await forEach(found, async address => {
    await fetchObject(place, pathOf(place, address))
  })
}
