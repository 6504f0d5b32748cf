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
export function lostInFull(cause: unknown): string {
  const words = lostBecause(cause)
  const code = codeOf(cause)
  return [words, ...(code === words ? [] : [code])].join(', ')
}

/** Whether the request certainly never left (INV-7). */
export function wasNeverSent(cause: unknown): boolean {
  return NEVER_SENT.has(codeOf(cause) ?? '')
}

/** Whether the other side did not show that it is who we want to talk to. */
export function isAboutCertificate(cause: unknown): boolean {
  return Object.hasOwn(CERTIFICATES, codeOf(cause) ?? '')
}
