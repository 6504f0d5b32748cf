import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const RETRY_MS = 25

/**
 * A port of this machine's loopback that nobody listens on: the preferred one if it is free within
 * the time, else one that the system picks. A server that was killed is gone a moment before the
 * last of its threads gives its port back.
 */
export async function findFreePort(preferred = 0, waitMs = 0): Promise<number> {
  const deadlineMs = Date.now() + waitMs
  while (Date.now() < deadlineMs) {
    const port = await tryPort(preferred)
    if (port !== undefined) return port
    await delay(RETRY_MS)
  }
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
