import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { TLSConfig } from '@temporalio/client'
import { codeOf } from '../disk.ts'

/**
 * Why nothing can be reached at this host and port, or undefined if something accepts connections
 * there. Cheap enough to ask every few milliseconds, unlike a gRPC channel, which waits a second
 * after each failure and does not tell why.
 */
export async function findPortProblem(
  host: string,
  port: number,
  timeoutMs = 1_000,
): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const finish = (problem: string | undefined) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => finish(undefined))
    socket.once('timeout', () => finish(`no answer within ${timeoutMs / 1000} s`))
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
  })
}

/** What keeps a TLS connection from coming about, and what to do about it. */
export interface TlsProblem {
  what: string
  remedy: string
}

/** Some servers say nothing of a certificate that they refuse. */
const CLOSED = 'CLOSED'

/** A client of HTTP/2 begins with this; a server that takes us answers with its settings. */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
])

/**
 * Why no TLS connection comes about, or undefined: the SDK only says that its time is up. A server
 * that wants a certificate says so after the handshake, so its first bytes are waited for.
 */
export function findTlsProblem(
  host: string,
  port: number,
  { clientCertPair, serverRootCACertificate: ca, serverNameOverride }: TLSConfig,
): Promise<TlsProblem | undefined> {
  return new Promise(resolve => {
    const servername = serverNameOverride ?? host
    const socket = connectTls({
      host,
      port,
      // The name of a machine alone may be asked for; an address is compared all the same.
      ...(isIP(servername) === 0 ? { servername } : {}),
      ALPNProtocols: ['h2'],
      timeout: 2_000,
      ...(ca && { ca: Buffer.from(ca) }),
      ...(clientCertPair && {
        cert: Buffer.from(clientCertPair.crt),
        key: Buffer.from(clientCertPair.key),
      }),
    })
    const finish = (problem?: TlsProblem): void => {
      socket.destroy()
      resolve(problem)
    }
    const explain = (said: string): TlsProblem | undefined =>
      explainTls(said, { hasCertificate: clientCertPair !== undefined, servername })
    socket.once('secureConnect', () => socket.write(PREFACE))
    socket.once('data', () => finish())
    socket.once('timeout', () => finish())
    socket.once('error', error => finish(explain(codeOf(error))))
    socket.once('close', () => finish(explain(CLOSED)))
  })
}

interface Attempt {
  hasCertificate: boolean
  servername: string
}

/** What a code of OpenSSL means. Undefined: nothing that a setting changes. */
export const explainTls = (said: string, attempt: Attempt): TlsProblem | undefined =>
  KNOWN.find(({ says }) => says.test(said))?.means(attempt)

const KNOWN: readonly { says: RegExp; means: (attempt: Attempt) => TlsProblem }[] = [
  {
    says: /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    means: () => ({ what: 'it does not speak TLS', remedy: 'set temporal.tls to false' }),
  },
  {
    says: /CERT_ALTNAME_INVALID/,
    means: ({ servername }) => ({
      what: `its certificate is not for ${servername}`,
      remedy: 'name whom it is for: temporal.tls: { serverName: NAME }',
    }),
  },
  {
    says: /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/,
    means: ({ hasCertificate }) =>
      hasCertificate
        ? {
            what: 'it refused our certificate',
            remedy: 'check that temporal.tls.cert is signed by whom the server trusts',
          }
        : {
            what: 'it wants a certificate of ours',
            remedy: 'name the files of one: temporal.tls: { cert: FILE, key: FILE }',
          },
  },
  {
    says: new RegExp(`^${CLOSED}$`),
    means: ({ hasCertificate }) => ({
      what: hasCertificate
        ? 'it closed the connection when it had seen our certificate'
        : 'it closed the connection as soon as TLS stood',
      remedy: hasCertificate
        ? 'check that temporal.tls.cert is signed by whom the server trusts'
        : 'check temporal.address, and whether the server wants a certificate of ours: ' +
          'temporal.tls: { cert: FILE, key: FILE }',
    }),
  },
  {
    says: /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_UNTRUSTED/,
    means: () => ({
      what: 'its certificate is signed by nobody whom this machine knows',
      remedy: 'name the file with the certificate of who signed it: temporal.tls: { ca: FILE }',
    }),
  },
  {
    says: /CERT_HAS_EXPIRED/,
    means: () => ({
      what: 'its certificate has expired',
      remedy: 'let whoever runs the server renew it',
    }),
  },
]
