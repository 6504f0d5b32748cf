import { PartnerError } from '../../errors.ts'
import { AnswerTooLarge, DamagedBody, UnknownEncoding } from './answer-body.ts'

/** Why there is no whole answer. What became of a write that was too slow, nobody knows. */
export function noAnswer(
  { name, isRead }: { name: string; isRead: boolean },
  cause: unknown,
  { maxBytes, longestMs, isOver }: { maxBytes: number; longestMs: number; isOver: boolean },
): PartnerError {
  if (cause instanceof AnswerTooLarge) return tooLarge(name, maxBytes)
  if (cause instanceof UnknownEncoding && isRead) return unreadable(name, cause)
  if (cause instanceof DamagedBody) return damaged(name, cause, isRead)
  return isOver && isRead ? tooSlow(name, longestMs) : unreachable(name, cause, isRead)
}

const tooLarge = (request: string, maxBytes: number): PartnerError =>
  new PartnerError(
    'PARTNER_TOO_LARGE',
    `${request} answered more than ${maxBytes / 1_000_000} MB; nothing of it was used.`,
    {
      remedy:
        'If the API is meant to answer that much, ' +
        'raise limits.megabytesPerAnswer of the store in tillage.yaml.',
    },
  )

const unreadable = (request: string, { encoding }: UnknownEncoding): PartnerError =>
  new PartnerError(
    'PARTNER_NOT_API',
    `${request} answered with the Content-Encoding ${encoding}; only gzip was asked for, ` +
      'and nothing of it was used',
    { remedy: 'Something between here and the API compresses on its own: look at its settings.' },
  )

const damaged = (request: string, { encoding }: DamagedBody, harmless: boolean): PartnerError =>
  new PartnerError(
    'PARTNER_TRUNCATED',
    `${request} answered with a body that is not whole ${encoding}: it was damaged or cut off ` +
      'on the way, or was never compressed; nothing of it was used',
    {
      remedy: harmless
        ? 'Run the same command again. If it stays so, something between here and the API ' +
          'compresses on its own: look at its settings.'
        : UNCLEAR,
    },
  )

const tooSlow = (request: string, longestMs: number): PartnerError =>
  new PartnerError(
    'PARTNER_TOO_SLOW',
    `${request} had not answered to the end after ${longestMs / 1000} s ` +
      'and a second for each 50 kB of it; nothing of it was used.',
    {
      remedy:
        'Run the same command again later. If the API or the line is meant to be that slow, ' +
        'raise limits.secondsPerAnswer of the store in tillage.yaml.',
    },
  )

function unreachable(request: string, cause: unknown, harmless: boolean): PartnerError {
  const isUnsent = wasNeverSent(cause)
  return new PartnerError(
    'PARTNER_UNREACHABLE',
    `${request} got no whole answer (${lostInFull(cause)})`,
    { cause, wasNeverSent: isUnsent, remedy: harmless || isUnsent ? whatToCheck(cause) : UNCLEAR },
  )
}

const UNCLEAR = 'Nobody knows whether it arrived: look at the API before it is sent again (INV-7).'

const whatToCheck = (cause: unknown): string =>
  isAboutCertificate(cause)
    ? 'Check baseUrl in tillage.yaml. If the certificate is one of your own, ' +
      'name the file of its issuer in NODE_EXTRA_CA_CERTS.'
    : 'Check baseUrl in tillage.yaml and that the API is up, ' +
      'then run the same command again: it goes on with what is missing.'

/** What happened between here and the API, in words, by the code of the error that says so. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection given up',
  EPIPE: 'connection closed while it was sent',
  ETIMEDOUT: 'timed out',
  ENOTFOUND: 'address not found',
  EAI_AGAIN: 'the name server does not answer',
  ENETUNREACH: 'no way to its network',
  EHOSTUNREACH: 'no way to its host',
  EMFILE: 'this process has too many files and connections open',
  EPROTO: 'no TLS is spoken there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS is spoken there',
  HTTPParserError: 'what came is no HTTP',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the rest of the answer did not come in time',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
}

const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate goes back to one that this machine does not trust',
  UNABLE_TO_GET_ISSUER_CERT: 'nobody whom this machine trusts has issued its certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'nobody whom this machine trusts has issued its certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'nobody whom this machine trusts has issued its certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

/** No connection was made, so nothing was sent. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'UND_ERR_CONNECT_TIMEOUT',
  ...Object.keys(CERTIFICATES),
])

/** Of the parser of HTTP its name is all that there is. */
function codeOf(cause: unknown): string | undefined {
  const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown }
  return [code, name].find(word => typeof word === 'string')
}

/** What a request died of, in words where there are any. */
export function lostBecause(cause: unknown): string | undefined {
  const code = codeOf(cause)
  return code === undefined ? undefined : (WORDS[code] ?? CERTIFICATES[code] ?? code)
}

/** The same and, for whoever looks it up, the code. */
function lostInFull(cause: unknown): string {
  const words = lostBecause(cause)
  const code = codeOf(cause)
  return [words, ...(code === words ? [] : [code])].join(', ')
}

/** Whether the request certainly never left (INV-7). */
function wasNeverSent(cause: unknown): boolean {
  return NEVER_SENT.has(codeOf(cause) ?? '')
}

/** Whether the other side did not show that it is who we want to talk to. */
function isAboutCertificate(cause: unknown): boolean {
  return Object.hasOwn(CERTIFICATES, codeOf(cause) ?? '')
}
