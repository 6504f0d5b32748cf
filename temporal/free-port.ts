import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port of this machine's loopback that nobody listens on: the preferred one if it is free, else
 * one that the system picks.
 */
export async function findFreePort(preferred = 0): Promise<number> {
  return (
    (await tryPort(preferred)) ??
    (await tryPort(0)) ??
    Promise.reject(new Error('the system has no free port on 127.0.0.1'))
  )
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return address !== null && typeof address === 'object' ? address.port : undefined
  } catch {
    return undefined
  } finally {
    server.close()
  }
}
