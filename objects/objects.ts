import { createHash, randomUUID } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { createWriteStream, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { HeadObjectOutput } from '@aws-sdk/client-s3'
import type { OpenedBucket } from './client.ts'
import { openBucket } from './client.ts'
import { explainFailure, factOf, FACTS_OF_READING, unreachable } from './failure.ts'
import type { ObjectFacts, ObjectRight } from './failure.ts'
import { addressOf, bucketOf, keyOf } from './place.ts'
import type { ObjectPlace } from './place.ts'

/** An object is named by the path that it has in the mirror. */
export interface ObjectQuestion<Fact extends string = never> {
  path: string
  right: ObjectRight
  /** Answers that are none of these are failures. */
  facts?: ObjectFacts<Fact>
}

export interface ObjectKey {
  Bucket: string
  Key: string
}

/** Sends one request; what says something of the object itself is a fact, all else is thrown. */
export async function askBucket<Answer extends object, Fact extends string = never>(
  place: ObjectPlace,
  { path, right, facts = {} }: ObjectQuestion<Fact>,
  send: (opened: OpenedBucket, at: ObjectKey) => Promise<Answer>,
): Promise<Answer | Fact> {
  const opened = await openBucket(place)
  try {
    return await send(opened, { Bucket: bucketOf(place).bucket, Key: keyOf(place, path) })
  } catch (error) {
    const fact = factOf(error, facts)
    if (fact !== undefined) return fact
    throw explainFailure(error, place, { right, address: addressOf(place, path) })
  }
}

/** How many bytes an object has; undefined: it is not there. */
export async function sizeOf(place: ObjectPlace, path: string): Promise<number | undefined> {
  const asked = await askAbout(place, path)
  return asked === 'missing' ? undefined : (asked.ContentLength ?? 0)
}

/** The sha256 that an object was given out with; what came there otherwise is read. */
export async function givenHashOf(place: ObjectPlace, path: string): Promise<string | undefined> {
  const asked = await askAbout(place, path)
  return asked === 'missing' ? undefined : (asked.Metadata?.['sha256'] ?? hashOf(place, path))
}

function askAbout(place: ObjectPlace, path: string): Promise<HeadObjectOutput | 'missing'> {
  const question = { path, right: 's3:ListBucket', facts: FACTS_OF_READING } as const
  return askBucket(place, question, ({ client, sdk }, at) =>
    client.send(new sdk.HeadObjectCommand(at)),
  )
}

/** The sha256 of the bytes of an object, as they are read now; undefined: it is not there. */
export async function hashOf(place: ObjectPlace, path: string): Promise<string | undefined> {
  return read(place, path, async parts => {
    for await (const _ of parts);
  })
}

/** How an object is brought. */
export interface Fetching {
  /** Default: where the mirror has it. */
  to?: string
  /** Other bytes are not kept. */
  expected?: string
}

/** Brings an object whole or not at all, and answers its sha256; undefined: it is not there. */
export async function fetchObject(
  place: ObjectPlace,
  path: string,
  { to = path, expected }: Fetching = {},
): Promise<string | undefined> {
  const draft = join(dirname(to), `.${basename(to)}.${randomUUID()}.part`)
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  try {
    const sha256 = await read(place, path, parts =>
      pipeline(parts, createWriteStream(draft, { flush: true, mode: 0o600 })),
    )
    if (sha256 !== undefined && sha256 === (expected ?? sha256)) renameSync(draft, to)
    return sha256
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A connection that breaks in the middle of a body is no answer, as one that never began. */
const READINGS = 3

async function read(
  place: ObjectPlace,
  path: string,
  take: (parts: AsyncIterable<Buffer>) => Promise<void>,
): Promise<string | undefined> {
  const question = { path, right: 's3:GetObject', facts: FACTS_OF_READING } as const
  for (let left = READINGS; ; left--) {
    const asked = await askBucket(place, question, ({ client, sdk }, at) =>
      client.send(new sdk.GetObjectCommand(at)),
    )
    if (typeof asked === 'string') return undefined
    const hash = createHash('sha256')
    try {
      await take(partsOf(asked.Body as Readable, hash))
      return hash.digest('hex')
    } catch (error) {
      if (!(error instanceof BrokenBody)) throw error
      if (left === 1) throw unreachable(place, addressOf(place, path), error.message)
    }
  }
}

/** Whoever takes the parts may fail, too: a disk that is full says nothing of the bucket. */
class BrokenBody extends Error {}

async function* partsOf(body: Readable, hash: Hash): AsyncGenerator<Buffer, void> {
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      hash.update(part)
      yield part
    }
  } catch (error) {
    throw new BrokenBody((error as NodeJS.ErrnoException).code ?? 'it broke off')
  }
}

/** What is in the bucket below a folder of the mirror, by path there, with its size. */
export async function sizesBelow(place: ObjectPlace, folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  const { prefix } = bucketOf(place)
  for (let token: string | undefined, isLast = false; !isLast;) {
    const question = { path: folder, right: 's3:ListBucket' } as const
    const asked = await askBucket(place, question, ({ client, sdk }, { Bucket, Key }) => {
      const Prefix = folder === place.mirror ? prefix : `${Key}/`
      return client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: token }))
    })
    for (const { Key = '', Size = 0 } of asked.Contents ?? [])
      sizes.set(`${place.url}/${Key.slice(prefix.length)}`, Size)
    token = asked.NextContinuationToken
    isLast = token === undefined
  }
  return sizes
}

export async function removeObject(place: ObjectPlace, path: string): Promise<void> {
  await askBucket(place, { path, right: 's3:DeleteObject' }, ({ client, sdk }, at) =>
    client.send(new sdk.DeleteObjectCommand(at)),
  )
}

/** An address that anybody can read the object by, for so long. */
export async function linkTo(place: ObjectPlace, path: string, seconds: number): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const { client, sdk } = await openBucket(place)
  const at = { Bucket: bucketOf(place).bucket, Key: keyOf(place, path) }
  try {
    return await getSignedUrl(client, new sdk.GetObjectCommand(at), { expiresIn: seconds })
  } catch (error) {
    throw explainFailure(error, place, { right: 's3:GetObject', address: addressOf(place, path) })
  }
}
