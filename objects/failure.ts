import { TillageError } from '../errors.ts'
import type { ObjectPlace } from './place.ts'

/** What was asked of a bucket, by the right that it takes. */
export type ObjectRight = 's3:PutObject' | 's3:GetObject' | 's3:ListBucket' | 's3:DeleteObject'

/** What the library's errors have in common. */
interface Failure extends Error {
  code?: string
  $metadata?: { httpStatusCode?: number }
}

/** What an answer says about the object itself: no failure, but a fact. */
export type ObjectFact = 'missing' | 'there' | 'conflict'

/** Undefined: the answer is a failure. */
export function factOf(error: unknown): ObjectFact | undefined {
  const { name, $metadata } = error as Failure
  const status = $metadata?.httpStatusCode
  if (status === 412) return 'there'
  if (status === 409) return 'conflict'
  if (name === 'NoSuchBucket') return undefined
  return status === 404 ? 'missing' : undefined
}

/** What was asked, of which object. */
export interface AskedObject {
  right: ObjectRight
  address: string
}

/**
 * A failure in words: who cannot be reached may be there again later, whoever refuses says so
 * again. The library's own message may quote what was sent, and is left out.
 */
export function explainFailure(error: unknown, place: ObjectPlace, asked: AskedObject): unknown {
  if (!(error instanceof Error)) return error
  const { name, code, $metadata } = error as Failure
  const status = $metadata?.httpStatusCode
  if (NO_KEYS.includes(name)) return refused(`no keys for ${place.url} were found`, GIVE_KEYS)
  if (status === undefined || status >= 500 || status === 429)
    return unreachable(error, place, { ...asked, why: String(status ?? code ?? name) })
  return refused(
    `${asked.address} was refused (${status} ${name})`,
    REMEDIES[name] ?? remedyOf(status, asked.right),
  )
}

const unreachable = (
  cause: Error,
  { endpoint }: ObjectPlace,
  { address, why }: { address: string; why: string },
): TillageError =>
  new TillageError(
    'OBJECTS_UNREACHABLE',
    `${endpoint ?? 'the provider of the bucket'} gave no answer about ${address} that counts ` +
      `(${why}), though it was asked several times`,
    { remedy: 'Run the same command again when it is there: it goes on.', cause },
  )

const refused = (message: string, remedy: string): TillageError =>
  new TillageError('OBJECTS_REFUSED', message, { remedy })

const NO_KEYS: readonly string[] = ['CredentialsProviderError', 'TokenProviderError']

const GIVE_KEYS =
  'Give some where programs look for them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ' +
  'AWS_PROFILE, or the role of this machine.'

const OTHER_KEYS =
  'The keys are wrong or have expired: look at AWS_ACCESS_KEY_ID, or at the profile or role.'

/** By the code of the answer. */
const REMEDIES: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: OTHER_KEYS,
  SignatureDoesNotMatch: OTHER_KEYS,
  ExpiredToken: OTHER_KEYS,
  InvalidToken: OTHER_KEYS,
  NoSuchBucket: 'There is no such bucket: create it, or correct exports.',
  PermanentRedirect: 'The bucket is in another region: set exports.region to it.',
  BadDigest: 'Its bytes changed on their way, or on the disk: run the same command again.',
}

const remedyOf = (status: number, right: ObjectRight): string =>
  status === 301
    ? REMEDIES['PermanentRedirect']!
    : `Its keys are wrong or lack the right ${right} there; tillage doctor looks at all of them.`
