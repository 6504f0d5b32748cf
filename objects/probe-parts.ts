import type { OpenedBucket } from './client.ts'
import { FACTS_OF_PUTTING } from './failure.ts'
import { askBucket } from './objects.ts'
import type { ObjectKey } from './objects.ts'
import type { ObjectPlace } from './place.ts'

/** Whether an object that is there is kept from being written over by one that comes in parts. */
export async function isKeptFromParts(place: ObjectPlace, path: string): Promise<boolean> {
  const question = { path, right: 's3:PutObject', facts: FACTS_OF_PUTTING } as const
  const answer = await askBucket(place, question, sendOnePart)
  return answer === 'there' || answer === 'conflict'
}

async function sendOnePart({ client, sdk }: OpenedBucket, at: ObjectKey): Promise<object> {
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(at))
  const upload = { ...at, UploadId }
  try {
    const part = { ...upload, PartNumber: 1, Body: 'in parts' }
    const { ETag } = await client.send(new sdk.UploadPartCommand(part))
    const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] }
    const whole = { ...upload, MultipartUpload, IfNoneMatch: '*' }
    return await client.send(new sdk.CompleteMultipartUploadCommand(whole))
  } catch (error) {
    // What could not be taken back, the bucket's lifecycle takes.
    await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => {})
    throw error
  }
}
