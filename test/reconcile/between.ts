import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What is answered instead of, or made of, what the sandbox answers. */
export interface Spoken {
  status: number
  body: string
}

export interface Asked {
  method: string
  /** Path and query. */
  url: string
  body: string
  /** Sends it on to the sandbox. */
  pass(body?: string): Promise<Spoken>
}

/** Undefined: what the sandbox says. */
export type Speak = (asked: Asked) => Promise<Spoken | undefined>

/** A server between a client and the sandbox that says what it likes; undefined: what that says. */
export async function standBetween(
  baseUrl: string,
  speak: Speak,
): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void (async () => {
      const asked = await askedOf(baseUrl, request)
      const { status, body } = (await speak(asked)) ?? (await asked.pass())
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })()
  })
  await new Promise<void>(done => void server.listen(0, '127.0.0.1', done))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

async function askedOf(baseUrl: string, request: IncomingMessage): Promise<Asked> {
  const { method = 'GET', url = '/' } = request
  const body = Buffer.concat(await request.toArray()).toString('utf8')
  const headers = Object.fromEntries(
    ['x-api-key', 'authorization', 'content-type'].flatMap(name => {
      const value = request.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  const pass = async (changed = body): Promise<Spoken> => {
    const sent = method === 'GET' ? {} : { body: changed }
    const answer = await fetch(`${baseUrl}${url}`, { method, headers, ...sent })
    return { status: answer.status, body: await answer.text() }
  }
  return { method, url, body, pass }
}
