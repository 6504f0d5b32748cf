import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ListenAddress } from './config/listen.ts'
import { codeOf } from './disk.ts'
import { UsageError } from './errors.ts'

/** From the first byte to the last. */
const LONGEST_REQUEST_MS = 5_000

/** Whoever sends slowly holds a connection no longer; Node looks at them every 30 s otherwise. */
export const REQUEST_LIMITS = {
  requestTimeout: LONGEST_REQUEST_MS,
  headersTimeout: LONGEST_REQUEST_MS,
  connectionsCheckingInterval: 500,
}

/** Answers where it listens, `HOST:PORT`. `section` of tillage.yaml says where it should. */
export async function listenOn(
  server: Server,
  section: string,
  listen: ListenAddress,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(cannotListen(section, listen, error)))
    server.listen(listen, () => {
      server.removeAllListeners('error')
      // One connection that breaks is nobody else's business.
      server.on('error', () => {})
      resolve()
    })
  })
  const { address, family, port } = server.address() as AddressInfo
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}

const cannotListen = (section: string, { host, port }: ListenAddress, error: Error): UsageError =>
  new UsageError(
    `${section} cannot listen on ${host}:${port} (${codeOf(error)})`,
    `Another program has it, or it is no address of this machine: correct ${section}: in tillage.yaml.`,
  )
