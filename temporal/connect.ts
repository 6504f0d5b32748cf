import { TemporalError } from '../errors.ts'
import { checkNamespace } from './check-namespace.ts'
import { findPortProblem } from './probe-port.ts'
import { useEmbeddedServer } from './server/embedded-server.ts'
import { EMBEDDED_NAMESPACE } from './settings.ts'
import type { AddressSettings, TemporalSettings } from './settings.ts'

const REACH_TIMEOUT_MS = 5_000
/** Once more, for a server that listens and is busy. */
const BUSY_TIMEOUT_MS = 10_000
/** The one that the SDK adds to an address without a port. */
const DEFAULT_PORT = 7233

/**
 * Fits both `Connection.connect` of the client and `NativeConnection.connect` of the worker. Holds
 * the API key: never print it.
 */
export interface TemporalConnectionOptions {
  readonly address: string
  readonly apiKey?: string
  readonly tls?: boolean
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
  const tls = settings.tls ?? apiKey !== undefined
  const connectionOptions = { address, tls, ...(apiKey === undefined ? {} : { apiKey }) }
  await reachNamespace(settings, connectionOptions)
  return { address, namespace, connectionOptions, webUi: undefined, close: async () => {} }
}

/** Asks for the namespace; once more where something listens and did not answer in time. */
async function reachNamespace(
  settings: AddressSettings,
  options: TemporalConnectionOptions,
): Promise<void> {
  const { address, namespace } = settings
  const tls = options.tls === true
  try {
    return await checkNamespace(options, namespace, REACH_TIMEOUT_MS)
  } catch (error) {
    const problem = await findAddressProblem(address)
    if (problem !== undefined || isRefusal(error))
      throw describeFailure(error, settings, tls, problem)
  }
  try {
    await checkNamespace(options, namespace, BUSY_TIMEOUT_MS)
  } catch (error) {
    throw describeFailure(error, settings, tls, await findAddressProblem(address))
  }
}

// The codes of gRPC that tell a wrong setting from a server that is not there.
const NOT_FOUND = 5
const PERMISSION_DENIED = 7
const UNAUTHENTICATED = 16
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
const isRefusal = (error: unknown): boolean =>
  [NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED].some(code => code === codeOf(error))

/**
 * Without the SDK's error as a cause: whatever it holds, the key must not get into a log through
 * it.
 */
function describeFailure(
  error: unknown,
  settings: AddressSettings,
  tls: boolean,
  addressProblem: string | undefined,
): TemporalError {
  const { address, apiKey } = settings
  const text = error instanceof Error ? error.message : String(error)
  const said = apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '***')
  const withTls = tls ? 'with' : 'without'
  const withKey = apiKey === undefined ? 'without' : 'with'
  const { what, remedy } = explainRefusal(codeOf(error), {
    ...settings,
    how: `${withTls} TLS, ${withKey} an API key`,
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
    addressProblem = `something listens there, but ${said}`,
  }: { namespace: string; how: string; said: string; addressProblem: string | undefined },
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
    what: `does not answer (${how}): ${addressProblem}`,
    remedy:
      'check temporal.address (host:port) and temporal.tls in tillage.yaml ' +
      'and that the server runs; or use "temporal: embedded"',
  }
}

/**
 * The SDK only says that its time is up; whether the name, the port or the protocol is wrong is
 * what helps.
 */
async function findAddressProblem(address: string): Promise<string | undefined> {
  let url: URL
  try {
    url = new URL(`temporal://${address}`)
  } catch {
    return 'it is not of the form host:port'
  }
  return findPortProblem(
    url.hostname.replace(/^\[(.*)\]$/, '$1'),
    url.port === '' ? DEFAULT_PORT : Number(url.port),
    2_000,
  )
}
