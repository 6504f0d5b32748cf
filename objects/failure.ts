import { TillageError } from '../errors.ts'
import type { ObjectPlace } from './place.ts'

/** What was asked of a bucket, by the right that it takes. */
export type ObjectRight = 's3:PutObject' | 's3:GetObject' | 's3:ListBucket' | 's3:DeleteObject'

/** What the library's errors have in common. */
interface Failure extends Error {
  code?: string
  /** Of whatever was asked of a server, answered or not. */
  $metadata?: { httpStatusCode?: number }
}

/** By status, what an answer says about the object itself: no failure, but a fact. */
export type ObjectFacts<Fact extends string> = Readonly<Record<number, Fact>>

/** Of who looks for an object. */
export const FACTS_OF_READING = { 404: 'missing' } as const
/** Of who puts one under a name that nobody has taken. */
export const FACTS_OF_PUTTING = { 409: 'conflict', 412: 'there' } as const

/** Undefined: the answer is a failure. */
export function factOf<Fact extends string>(
  error: unknown,
  facts: ObjectFacts<Fact>,
): Fact | undefined {
  const { name, $metadata } = error as Failure
  return name === 'NoSuchBucket' ? undefined : facts[$metadata?.httpStatusCode ?? 0]
}

/** What was asked, of which object. */
export interface AskedObject {
  right: ObjectRight
  address: string
}

/**
 * A failure in words: who cannot be reached may be there again later, whoever refuses says so
 * again. The library's own error may quote what was sent, and is left out; what never came to ask
 * a server, such as a file that cannot be read, is no failure of the bucket and stays as it is.
 */
export function explainFailure(error: unknown, place: ObjectPlace, asked: AskedObject): unknown {
  if (!(error instanceof Error)) return error
  const { name, code, $metadata } = error as Failure
  if (NO_KEYS.includes(name)) return refused(`no keys for ${place.url} were found`, GIVE_KEYS)
  if ($metadata === undefined) return error
  const status = $metadata.httpStatusCode
  if (status === undefined || isForNow(status))
    return unreachable(place, asked.address, String(status ?? code ?? name))
  return refused(
    `${asked.address} was refused (${status} ${name})`,
    REMEDIES[name] ?? remedyOf(status, asked.right),
  )
}

const isForNow = (status: number): boolean => status >= 500 || status === 409 || status === 429

/** No answer that counts: whoever asks again later may get one. */
export const unreachable = (
  { endpoint }: ObjectPlace,
  address: string,
  why: string,
): TillageError =>
  new TillageError(
    'OBJECTS_UNREACHABLE',
    `${endpoint ?? 'the provider of the bucket'} gave no answer about ${address} that counts ` +
      `(${why}), though it was asked several times`,
    { remedy: 'Run the same command again when it is there: it goes on.' },
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
  NoSuchUpload: 'What was sent of it is not there any more: run the same command again.',
  PermanentRedirect: 'The bucket is in another region: set exports.region to it.',
  BadDigest: 'Its bytes changed on their way, or on the disk: run the same command again.',
}

function remedyOf(status: number, right: ObjectRight): string {
  if (status === 301) return REMEDIES['PermanentRedirect']!
  if (status === 404)
    return 'No such server answers there: look at endpoint and pathStyle of exports.'
  return `Its keys are wrong or lack the right ${right} there; tillage doctor looks at all of them.`
}
