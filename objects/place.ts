import { join, relative, sep } from 'node:path'
import { sha256Of } from '../sha256.ts'

/**
 * A bucket that exports are given out into, and the folder of this machine that mirrors it: files
 * are made there, and read there. Must survive being sent to a thread.
 */
export interface ObjectPlace {
  /** `s3://books/tillage`, without a slash at its end: what addresses begin with. */
  url: string
  endpoint?: string | undefined
  region?: string | undefined
  /** The bucket's name stands in the path and not in the host. */
  pathStyle?: boolean | undefined
  /** Absolute. */
  mirror: string
}

export interface BucketPlace {
  bucket: string
  /** What every key begins with: empty, or with a slash at its end. */
  prefix: string
}

export const isObjectAddress = (text: string): boolean => text.startsWith('s3://')

/** By settings; the mirror lies in a folder of this machine, and each place has its own. */
export function objectPlace(
  folder: string,
  { url, endpoint, region, pathStyle }: Omit<ObjectPlace, 'mirror'>,
): ObjectPlace {
  const place = { url: url.replace(/\/$/, ''), endpoint, region, pathStyle }
  const { bucket } = bucketOf(place)
  const named = sha256Of(JSON.stringify([place.url, endpoint ?? '']))
  return { ...place, mirror: join(folder, `exports-of-${bucket}-${named.slice(0, 8)}`) }
}

/** The parts of `s3://BUCKET/PREFIX`. */
export function bucketOf({ url }: Pick<ObjectPlace, 'url'>): BucketPlace {
  const [bucket = '', ...folders] = url.slice('s3://'.length).split('/')
  return { bucket, prefix: folders.map(folder => `${folder}/`).join('') }
}

/** The name of an object below the prefix, by its path in the mirror. */
const nameOf = ({ mirror }: ObjectPlace, path: string): string | undefined => {
  const name = relative(mirror, path)
  return name === '..' || name.startsWith(`..${sep}`) ? undefined : name.split(sep).join('/')
}

/** The key of what lies in the mirror under this path. */
export function keyOf(place: ObjectPlace, path: string): string {
  const name = nameOf(place, path)
  if (name === undefined) throw new Error(`${path} lies outside of ${place.mirror}`)
  return `${bucketOf(place).prefix}${name}`
}

/** How people and databases call a path: of what lies in the mirror its address in the bucket. */
export function addressOf(place: ObjectPlace | undefined, path: string): string {
  if (place === undefined) return path
  const name = nameOf(place, path)
  if (name === undefined) return path
  return name === '' ? place.url : `${place.url}/${name}`
}

/** Where this machine has what an address names; of all else it is the same. */
export function pathOf(place: ObjectPlace | undefined, address: string): string {
  return place !== undefined && isBelow(place, address)
    ? join(place.mirror, ...address.slice(place.url.length + 1).split('/'))
    : address
}

export const isBelow = ({ url }: Pick<ObjectPlace, 'url'>, address: string): boolean =>
  address.startsWith(`${url}/`)
