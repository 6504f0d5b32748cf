import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Duplex, Readable } from 'node:stream'

export interface Users {
  /** On this machine's loopback. */
  readonly port: number
  /** When the last one has left, and from then on nobody can join. */
  readonly allGone: Promise<void>
}

/**
 * Who uses a keeper's server: whoever holds a connection, which the system ends with its process,
 * however that dies. Each is greeted, so that it knows whom it has reached. One that ends its side
 * is let go at once; the last one only when this process has ended, and the server with it.
 *
 * The first user is the one that started the keeper: it has a pipe until it has connected.
 */
export async function openUsers(first: Readable, greeting: string): Promise<Users> {
  const here = new Set<Readable>()
  const allGone = Promise.withResolvers<void>()
  const server = createServer({ allowHalfOpen: true })
  const add = (user: Readable, letGo: () => void): void => {
    here.add(user)
    const leave = (): void => {
      if (!here.delete(user)) return
      if (here.size > 0) return letGo()
      server.close()
      allGone.resolve()
    }
    user.once('end', leave).once('close', leave).on('error', leave).resume()
  }
  server.on('connection', (user: Duplex) => {
    add(user, () => user.end())
    user.write(`${greeting}\n`)
  })
  add(first, () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, allGone: allGone.promise }
}
