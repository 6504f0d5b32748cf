import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ListenAddress } from '../config/listen.ts'
import type { NewHint } from '../connectors/destination/hints.ts'
import { listenOn, REQUEST_LIMITS } from '../listen.ts'
import type { FindStore } from './address.ts'
import { readEvent } from './event.ts'

/** A larger body is refused. */
export const MOST_BODY_BYTES = 256 * 1024
/** More at once are closed unheard: the API tries again, and the night proves what no hint said. */
const MOST_CONNECTIONS = 1024

export interface ReceiverOrder {
  listen: ListenAddress
  /** Asked for each call, since addresses change while it listens. */
  findStore: FindStore
  /** Resolves when the hint is on the disk. */
  keep(hint: NewHint): Promise<void>
}

export interface Receiver {
  /** `127.0.0.1:8750`. */
  address: string
  /** What is under way is answered first. */
  close(): Promise<void>
}

/**
 * Takes the API's events: what they name is kept on the disk, and only then answered with 200 and
 * nothing else. Whatever is not an event at an address of ours gets the same bytes each time.
 */
export async function startReceiver(order: ReceiverOrder): Promise<Receiver> {
  const server = createServer(
    REQUEST_LIMITS,
    (request, response) => void take(order, request, response),
  )
  server.maxConnections = MOST_CONNECTIONS
  const address = await listenOn(server, 'webhooks', order.listen)
  return {
    address,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

async function take(
  { findStore, keep }: ReceiverOrder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const store = findStore(request.url ?? '')
    const body = await readBody(request)
    if (store === undefined) return answer(response, 404)
    if (request.method !== 'POST') return answer(response, 405)
    if (body === undefined) return answer(response, 413)
    const target = readEvent(body)
    if (target !== undefined) await keep({ store, ...target })
    answer(response, 200)
  } catch {
    // The API tries again, and the night proves what no hint said.
    answer(response, 503)
  }
}

/** Undefined: it is too large. What is left of it is not read; the connection ends after that. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  // Who breaks off reading would break off the connection too, before the answer.
  const all = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  for await (const part of all) {
    bytes += part.length
    if (bytes > MOST_BODY_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function answer(response: ServerResponse, status: 200 | 404 | 405 | 413 | 503): void {
  if (response.headersSent || response.destroyed) return
  const close = status === 413 ? { connection: 'close' } : {}
  response.writeHead(status, { 'content-length': 0, ...close }).end()
}
