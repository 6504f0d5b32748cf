import { createReadStream, readFileSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { TillageError } from '../errors.ts'
import type { OpenedBucket } from './client.ts'
import { contentTypeOf } from './content-type.ts'
import { FACTS_OF_PUTTING, unreachable } from './failure.ts'
import type { ObjectFacts } from './failure.ts'
import { askBucket, hashOf } from './objects.ts'
import type { ObjectKey } from './objects.ts'
import { addressOf } from './place.ts'
import type { ObjectPlace } from './place.ts'

/** A file that is to lie in the bucket. */
export interface ObjectFile {
  /** As it is called in the mirror. */
  path: string
  /** Where its bytes are now. Default: there already. */
  from?: string
  sha256: string
}

/** An object of this name is there, with other bytes: they were given out before. */
export class ObjectTaken extends TillageError {
  readonly path: string
  readonly sha256: string

  constructor(address: string, { path, sha256 }: { path: string; sha256: string }) {
    super('OBJECTS_TAKEN', `${address} is there already, with other bytes (sha256 ${sha256})`, {
      remedy:
        'Another machine may have given out the same day just now: run the same command again. ' +
        'If it says so again, look in the bucket who wrote it; tillage verify ADDRESS compares it.',
    })
    this.path = path
    this.sha256 = sha256
  }
}

/** A file up to this size is one request; a larger one is sent in parts of it, four at a time. */
const PART_BYTES = 16 * 1024 * 1024
const CONFLICT_PAUSES_MS = [50, 100, 200, 400, 800, 1600]

/**
 * Puts a file into the bucket under a name that nobody has taken. The same bytes there already:
 * that is as good. Others: `ObjectTaken`.
 */
export async function putOnce(place: ObjectPlace, file: ObjectFile): Promise<void> {
  const { path, sha256 } = file
  if ((await sendDecided(place, file)) !== 'there') return
  const found = await hashOf(place, path)
  if (found === undefined) throw unreachable(place, addressOf(place, path), 'there, and not there')
  if (found !== sha256) throw new ObjectTaken(addressOf(place, path), { path, sha256: found })
}

/** As long as another request of the same name is being decided on, it is sent again. */
async function sendDecided(place: ObjectPlace, file: ObjectFile): Promise<object | 'there'> {
  for (const pauseMs of CONFLICT_PAUSES_MS) {
    const answer = await send(place, file, { IfNoneMatch: '*' })
    if (answer !== 'conflict') return answer
    await setTimeout(pauseMs)
  }
  throw unreachable(place, addressOf(place, file.path), '409')
}

/** Puts a file that may be written again, such as a sheet that people fill in. */
export async function putAgain(place: ObjectPlace, file: ObjectFile): Promise<void> {
  await send(place, file, {})
}

type Condition = { IfNoneMatch?: '*' }

/** With its checksum: a server that receives other bytes refuses them. */
async function send(
  place: ObjectPlace,
  file: ObjectFile,
  condition: Condition,
): Promise<object | 'there' | 'conflict'> {
  const { path, from = path, sha256 } = file
  const isOnce = condition.IfNoneMatch !== undefined
  const facts: ObjectFacts<'there' | 'conflict'> = isOnce ? FACTS_OF_PUTTING : {}
  const question = { path, right: 's3:PutObject', facts } as const
  const described = { ContentType: contentTypeOf(path), Metadata: { sha256 } }
  const isLarge = statSync(from).size > PART_BYTES
  return askBucket(place, question, (opened, at) => {
    const input = { ...at, ...described, ...condition }
    return isLarge
      ? sendInParts(opened, from, input)
      : sendWhole(opened, from, { ...input, sha256 })
  })
}

type Put = ObjectKey & Condition & { ContentType: string; Metadata: { sha256: string } }

async function sendWhole(
  { client, sdk }: OpenedBucket,
  from: string,
  { sha256, ...put }: Put & { sha256: string },
): Promise<object> {
  const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64')
  const Body = readFileSync(from)
  return client.send(new sdk.PutObjectCommand({ ...put, Body, ChecksumSHA256 }))
}

/** It gets its name with the last of its parts: a process that dies before leaves nothing. */
async function sendInParts({ client }: OpenedBucket, from: string, put: Put): Promise<object> {
  const { Upload } = await import('@aws-sdk/lib-storage')
  const Body = createReadStream(from, { highWaterMark: PART_BYTES })
  const params = { ...put, Body, ChecksumAlgorithm: 'SHA256' as const }
  return new Upload({ client, params, partSize: PART_BYTES, queueSize: 4 }).done()
}
