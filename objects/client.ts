import type * as Sdk from '@aws-sdk/client-s3'
import type { ObjectPlace } from './place.ts'

/** The library of one bucket's provider, loaded by whoever needs it: a folder needs none of it. */
export interface OpenedBucket {
  client: Sdk.S3Client
  sdk: typeof Sdk
}

type Provider = Pick<ObjectPlace, 'endpoint' | 'region' | 'pathStyle'>

const opened = new Map<string, Promise<OpenedBucket>>()

/** One client for each provider as long as the process lives: connections and keys are kept. */
export function openBucket({ endpoint, region, pathStyle }: Provider): Promise<OpenedBucket> {
  const provider = { endpoint, region, pathStyle }
  const key = JSON.stringify(provider)
  const known = opened.get(key) ?? open(provider)
  opened.set(key, known)
  return known
}

/** So often a request is sent, with longer and longer pauses between. */
const ATTEMPTS = 5
const CONNECT_MS = 10_000
/** Without a byte in either direction: a bucket that hangs is given up after two minutes. */
const SILENCE_MS = 20_000

async function open({ endpoint, region, pathStyle }: Provider): Promise<OpenedBucket> {
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: pathStyle ?? false,
    maxAttempts: ATTEMPTS,
    // The checksums that we send are our own; servers that are not Amazon's know no others.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  })
  return { client, sdk }
}
