import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TLSConfig } from '@temporalio/client'
import { codeOf } from '../disk.ts'
import { ConfigError } from '../errors.ts'
import type { TlsFiles } from './settings.ts'

/**
 * The SDK's TLS, from files of PEM. They are read when a connection is opened, so nothing else
 * needs them. Throws a ConfigError that lists what is wrong with them, and quotes nothing.
 */
export function readTls({ cert, key, ca, serverName }: TlsFiles): TLSConfig {
  const problems: string[] = []
  const read = readerOf(problems)
  const [certificate, privateKey] = [read('cert', cert, CERTIFICATE), read('key', key, PRIVATE_KEY)]
  const root = read('ca', ca, CERTIFICATE)
  if (certificate && privateKey && !certificate.parsed.checkPrivateKey(privateKey.parsed))
    problems.push(`key: ${key} is not the key of the certificate ${cert}`)
  if (problems.length > 0) throw wrongFiles(problems)
  return {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(root && { serverRootCACertificate: root.bytes }),
    ...(certificate &&
      privateKey && { clientCertPair: { crt: certificate.bytes, key: privateKey.bytes } }),
  }
}

/** What a file of PEM has to hold. */
interface Kind<Parsed> {
  what: string
  parse: (bytes: Buffer) => Parsed
}

const CERTIFICATE: Kind<X509Certificate> = {
  what: 'certificate',
  parse: bytes => new X509Certificate(bytes),
}
const PRIVATE_KEY: Kind<KeyObject> = {
  what: 'private key',
  parse: bytes => createPrivateKey(bytes),
}

interface Pem<Parsed> {
  bytes: Buffer
  parsed: Parsed
}

type Read = <Parsed>(
  name: keyof TlsFiles,
  path: string | undefined,
  kind: Kind<Parsed>,
) => Pem<Parsed> | undefined

/** What cannot be read goes to the problems. */
const readerOf =
  (problems: string[]): Read =>
  (name, path, { what, parse }) => {
    if (path === undefined) return undefined
    try {
      const bytes = readFileSync(path)
      return { bytes, parsed: parse(bytes) }
    } catch (error) {
      problems.push(`${name}: ${path} ${whatIsWrong(codeOf(error), what)}`)
      return undefined
    }
  }

/** By the code alone: what else an error says may quote a private key. */
function whatIsWrong(code: string, what: string): string {
  if (code === 'ENOENT') return 'does not exist'
  if (code === 'ERR_MISSING_PASSPHRASE') return 'has a passphrase; name one without'
  return /^E[A-Z]+$/.test(code) ? `cannot be read (${code})` : `is no ${what} in PEM`
}

const wrongFiles = (problems: readonly string[]): ConfigError =>
  new ConfigError(
    'temporal.tls',
    problems,
    'Name files of PEM (-----BEGIN ...) that this program may read, relative to tillage.yaml: ' +
      'cert is our certificate, key its private key, ca the certificate that signed that of the server.',
  )
