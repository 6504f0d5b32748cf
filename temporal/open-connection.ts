import { Connection } from '@temporalio/client'
import type { ConnectionOptions } from '@temporalio/client'

const LOOPBACK = /^(127\.[0-9.]+|localhost|\[::1\]):/

/**
 * The client's connection. A server on this machine is never asked through a proxy: gRPC takes one
 * from `http_proxy` for any address, and waits there for as long as it may.
 */
export function openConnection(options: ConnectionOptions): Promise<Connection> {
  const isHere = LOOPBACK.test(options.address ?? '')
  const channelArgs = isHere ? { 'grpc.enable_http_proxy': 0 } : {}
  return Connection.connect({ ...options, channelArgs })
}
