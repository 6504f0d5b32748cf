import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { askWorker } from '../../../commands/status/worker-is-up.ts'
import type { Config } from '../../../config.ts'
import type { Identity } from '../../../connectors/destination/destination.ts'

/** As a server without room answers; the client asks again for what is only not there. */
const FAILED_PRECONDITION = 9
/** A message of gRPC without any field. */
const EMPTY = Buffer.alloc(5)

const closeServers: (() => void)[] = []
afterEach(() => {
  for (const close of closeServers.splice(0)) close()
})

/** A server that lets clients connect, and then does nothing else that it is asked for. */
async function startDyingServer(): Promise<string> {
  const server = createServer()
  server.on('stream', (stream, { ':path': path }) => {
    const connects = ['GetSystemInfo', 'DescribeNamespace'].some(call => path?.endsWith(call))
    const headers = { ':status': 200, 'content-type': 'application/grpc' }
    if (!connects) {
      stream.respond({ ...headers, 'grpc-status': FAILED_PRECONDITION }, { endStream: true })
      return
    }
    stream.respond(headers, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': 0 }))
    stream.end(EMPTY)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closeServers.push(() => server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('a Temporal server that ends after it let us connect leaves open whether a worker is up', async () => {
  const address = await startDyingServer()
  const config = { temporal: { address, namespace: 'default' }, localFiles: 'nowhere' } as Config
  const identity: Identity = { id: () => Promise.resolve('4711') }
  const standing = await askWorker(config, identity)
  expect(standing).toMatchObject({ isUp: undefined, problem: expect.any(String) as string })
})
