import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ListenAddress } from '../config/listen.ts'
import { listenOn, REQUEST_LIMITS } from '../listen.ts'
import { isThisMachine } from '../this-machine.ts'

/** What has to be there for work to be done. */
export interface Readiness {
  worker: boolean
  database: boolean
  temporal: boolean
}

export interface Pages {
  /** In the text format of Prometheus. */
  metrics(): Promise<string>
  ready(): Promise<Readiness>
}

export interface MetricsServer {
  /** `127.0.0.1:9464`. */
  address: string
  close(): Promise<void>
}

const TEXT = 'text/plain; version=0.0.4; charset=utf-8'

/** A name with or without a port. */
const namesThisMachine = (host: string): boolean => isThisMachine(host.replace(/:\d+$/, ''))

/**
 * `/metrics`, `/live` and `/ready`. A page that cannot be made is 503, and says why. Where it
 * listens for this machine alone, it answers to a name of this machine alone (else 421): a web page
 * in its browser could make it one of its own hosts.
 */
export async function startMetricsServer(
  listen: ListenAddress,
  pages: Pages,
): Promise<MetricsServer> {
  const isLocal = isThisMachine(listen.host)
  const server = createServer(REQUEST_LIMITS, (request, response) => {
    const refused = whyRefused(request, isLocal)
    if (refused !== undefined) return end(response, refused.status, 'text/plain', refused.text)
    const path = (request.url ?? '').split('?', 1)[0]
    answer(response, path, pages).catch((error: unknown) =>
      end(response, 503, 'text/plain', `${(error as Error).message}\n`),
    )
  })
  const address = await listenOn(server, 'metrics', listen)
  return {
    address,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function whyRefused(
  { method, headers: { host = '' } }: IncomingMessage,
  isLocal: boolean,
): { status: 405 | 421; text: string } | undefined {
  if (isLocal && !namesThisMachine(host))
    return { status: 421, text: 'not the name of this host\n' }
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead ? undefined : { status: 405, text: 'GET and HEAD alone\n' }
}

async function answer(
  response: ServerResponse,
  path: string | undefined,
  { metrics, ready }: Pages,
): Promise<void> {
  if (path === '/metrics') return end(response, 200, TEXT, await metrics())
  if (path === '/live') return end(response, 200, 'text/plain', 'live\n')
  if (path !== '/ready') return end(response, 404, 'text/plain', 'not found\n')
  const readiness = await ready()
  const status = Object.values(readiness).every(Boolean) ? 200 : 503
  end(response, status, 'application/json', `${JSON.stringify(readiness)}\n`)
}

function end(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type }).end(body)
}
