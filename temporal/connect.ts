import type { TLSConfig } from '@temporalio/client'
import { TemporalError } from '../errors.ts'
import { NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED, codeOf } from './grpc-codes.ts'
import { checkNamespace } from './open-connection.ts'
import { findPortProblem, findTlsProblem } from './probe-address.ts'
import type { TlsProblem } from './probe-address.ts'
import { useEmbeddedServer } from './server/embedded-server.ts'
import { EMBEDDED_NAMESPACE } from './settings.ts'
import type { AddressSettings, TemporalSettings } from './settings.ts'
import { readTls } from './tls-files.ts'

const REACH_TIMEOUT_MS = 5_000
/** Once more, for a server that listens and is busy. */
const BUSY_TIMEOUT_MS = 10_000
/** The one that the SDK adds to an address without a port. */
const DEFAULT_PORT = 7233

/**
 * Fits both `Connection.connect` of the client and `NativeConnection.connect` of the worker. Holds
 * keys: never print it.
 */
export interface TemporalConnectionOptions {
  readonly address: string
  readonly apiKey?: string
  readonly tls?: boolean | TLSConfig
}

export interface ConnectedTemporal {
  readonly address: string
  readonly namespace: string
  readonly connectionOptions: TemporalConnectionOptions
  /** The address of Temporal's web UI, where we started one. */
  readonly webUi: string | undefined
  /** Call it after every connection to the server is closed: it may stop the embedded one. */
  readonly close: () => Promise<void>
}

/**
 * Settings in, a server that answers out: started here if it is embedded, asked once if it is
 * somebody else's, so that a wrong address or key is one clear error at the start and not a worker
 * that waits in silence.
 */
export async function connectTemporal(
  settings: TemporalSettings,
  progress: (line: string) => void,
): Promise<ConnectedTemporal> {
  if (settings.kind === 'embedded') {
    const { folder, webUi: isWanted = false } = settings
    const server = await useEmbeddedServer({ folder, progress, webUi: isWanted })
    const { address, webUi, release: close } = server
    return {
      address,
      namespace: EMBEDDED_NAMESPACE,
      connectionOptions: { address },
      webUi,
      close,
    }
  }
  const { address, namespace, apiKey } = settings
  // Temporal Cloud takes keys over TLS only, and a key has no business on an open line unless
  // somebody says so.
  const wanted = settings.tls ?? apiKey !== undefined
  const tls = typeof wanted === 'boolean' ? wanted : readTls(wanted)
  const connectionOptions = { address, tls, ...(apiKey === undefined ? {} : { apiKey }) }
  await reachNamespace(settings, connectionOptions)
  return { address, namespace, connectionOptions, webUi: undefined, close: async () => {} }
}

/** Asks for the namespace; once more where something listens and did not answer in time. */
async function reachNamespace(
  settings: AddressSettings,
  options: TemporalConnectionOptions,
): Promise<void> {
  const { namespace } = settings
  try {
    return await checkNamespace(options, namespace, REACH_TIMEOUT_MS)
  } catch (error) {
    const problem = await findAddressProblem(options)
    if (problem !== undefined || isRefusal(error))
      throw describeFailure(error, settings, options, problem)
  }
  try {
    await checkNamespace(options, namespace, BUSY_TIMEOUT_MS)
  } catch (error) {
    throw describeFailure(error, settings, options, await findAddressProblem(options))
  }
}

/** A wrong setting, and not a server that is not there. */
const isRefusal = (error: unknown): boolean =>
  [NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED].some(code => code === codeOf(error))

/**
 * Without the SDK's error as a cause: whatever it holds, the key must not get into a log through
 * it.
 */
function describeFailure(
  error: unknown,
  settings: AddressSettings,
  { tls }: TemporalConnectionOptions,
  addressProblem: AddressProblem | undefined,
): TemporalError {
  const { address, apiKey } = settings
  const text = error instanceof Error ? error.message : String(error)
  const said = apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '***')
  const withTls = tls === false ? 'without' : 'with'
  const withCertificate =
    typeof tls === 'object' && tls.clientCertPair !== undefined ? ', with a certificate' : ''
  const withKey = apiKey === undefined ? 'without' : 'with'
  const { what, remedy } = explainRefusal(codeOf(error), {
    ...settings,
    how: `${withTls} TLS${withCertificate}, ${withKey} an API key`,
    said,
    addressProblem,
  })
  return new TemporalError('TEMPORAL_UNREACHABLE', `the Temporal server at ${address} ${what}`, {
    remedy,
  })
}

/** By the code of gRPC: a wrong setting, or a server that is not there. */
function explainRefusal(
  code: unknown,
  {
    namespace,
    how,
    said,
    addressProblem: { what, remedy } = { what: `something listens there, but ${said}` },
  }: { namespace: string; how: string; said: string; addressProblem: AddressProblem | undefined },
): { what: string; remedy: string } {
  if (code === NOT_FOUND)
    return {
      what: `has no namespace "${namespace}": ${said}`,
      remedy:
        'correct temporal.namespace in tillage.yaml, or create it: ' +
        'temporal operator namespace create',
    }
  if (code === UNAUTHENTICATED || code === PERMISSION_DENIED)
    return {
      what: `refused us for namespace "${namespace}" (${how}): ${said}`,
      remedy:
        'check temporal.apiKey in tillage.yaml: that it is set, has not expired, ' +
        'and may use this namespace',
    }
  return {
    what: `does not answer (${how}): ${what}`,
    remedy:
      remedy ??
      'check temporal.address (host:port) and temporal.tls in tillage.yaml ' +
        'and that the server runs; or use "temporal: embedded"',
  }
}

/** Why an address cannot be talked to, and what to do where that is known. */
type AddressProblem = Pick<TlsProblem, 'what'> & Partial<TlsProblem>

/**
 * The SDK only says that its time is up; whether the name, the port, the protocol or a certificate
 * is wrong is what helps.
 */
async function findAddressProblem({
  address,
  tls = false,
}: TemporalConnectionOptions): Promise<AddressProblem | undefined> {
  const url = URL.parse(`temporal://${address}`)
  if (url === null) return { what: 'it is not of the form host:port' }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  const what = await findPortProblem(host, port, 2_000)
  if (what !== undefined) return { what }
  return tls === false ? undefined : findTlsProblem(host, port, tls === true ? {} : tls)
}
