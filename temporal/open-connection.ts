import type { Connection, ConnectionOptions } from '@temporalio/client'
import { TemporalError } from '../errors.ts'

/** The SDK's ten seconds are too few for a machine that has much else to do. */
const CONNECT_TIMEOUT_MS = 120_000
const LOOPBACK = /^(127\.[0-9.]+|localhost|\[::1\]):/

/**
 * The client's connection. A server on this machine is never asked through a proxy: gRPC takes one
 * from `http_proxy` for any address, and waits there for as long as it may.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  // Only here: an embedded server is started meanwhile, which takes as long.
  const { Connection } = await import('@temporalio/client')
  const isHere = LOOPBACK.test(options.address ?? '')
  const channelArgs = isHere ? { 'grpc.enable_http_proxy': 0 } : {}
  return Connection.connect({ connectTimeout: CONNECT_TIMEOUT_MS, ...options, channelArgs })
}

/**
 * A connection to a server that has just answered for its namespace. Without the SDK's error as a
 * cause: it may hold the key.
 */
export async function reach<Opened>(address: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new TemporalError(
      'TEMPORAL_UNREACHABLE',
      `the Temporal server at ${address} answered, and then took no connection: ${said}`,
      { remedy: 'Run the same command again; see whether the machine has too much to do.' },
    )
  }
}

/**
 * Connects, asks for the namespace and disconnects. Throws what the SDK throws, within about
 * `timeoutMs`.
 */
export async function checkNamespace(
  options: ConnectionOptions,
  namespace: string,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  const connection = await openConnection({ ...options, connectTimeout: timeoutMs })
  try {
    await connection.withDeadline(Math.max(deadline, Date.now() + 1_000), () =>
      connection.workflowService.describeNamespace({ namespace }),
    )
  } finally {
    await connection.close()
  }
}
