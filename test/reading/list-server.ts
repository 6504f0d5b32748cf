import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import type { WireRange } from '../../calendar/windows.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { createEndpoint } from '../../connectors/partner/endpoint.ts'
import type { Endpoint } from '../../connectors/partner/endpoint.ts'
import { defineStream, text, timestamp } from '../../connectors/stream.ts'
import type { Stream } from '../../connectors/stream.ts'
import type { ListContext } from '../../reading/context.ts'
import { readWindow } from '../../reading/read-window.ts'
import { startReading } from '../../reading/reading.ts'
import type { Reading } from '../../reading/reading.ts'
import { governorAlone } from '../helpers/governor.ts'

/** A small stream of small pages, so that a few rows make a list of many pages. */
export const tickets = defineStream({
  name: 'tickets',
  singular: 'ticket',
  title: 'tickets',
  path: '/api/tickets',
  windowing: 'milliseconds',
  offset: 'skip',
  pageCap: 5,
  cursor: 'modified',
  eventTimes: ['modified', 'completedTime'],
  lookbackDays: 1,
  columns: { ...text('id'), ...timestamp('created', 'modified', 'completedTime') },
  children: {},
})

export interface Ticket {
  id: string
  modified: number
}

/** The window that every test asks for; tickets lie inside. */
export const WINDOW: WireRange = {
  query: { startDate: '1000', endDate: '2000' },
  widest: { startMs: 1000, endMs: 2001 },
}

/** So many tickets, newest first. */
export const ticketsOf = (count: number): Ticket[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `t${String(index).padStart(4, '0')}`,
    modified: 1900 - index,
  }))

const servers: Server[] = []
const closing: (() => Promise<void>)[] = []

/** A server on a free port, closed after the file. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterAll(async () => {
  await Promise.all(closing.splice(0).map(close => close()))
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

export const queryOf = (request: IncomingMessage): URLSearchParams =>
  new URL(request.url ?? '/', 'http://localhost').searchParams

/** An answer that is no success. */
export class Refused {
  readonly status: number
  constructor(status: number) {
    this.status = status
  }
}

/**
 * One endpoint of the real client, governor and page reader, against a server whose answers
 * `answer` makes up; a Buffer goes out as it is.
 */
export async function endpointOf(
  answer: (query: URLSearchParams, path: string) => unknown,
  options: { stream?: Stream; concurrency?: number } = {},
): Promise<Endpoint> {
  const baseUrl = await serve((request, response) => {
    response.setHeader('content-type', 'application/json')
    const body = answer(queryOf(request), request.url!.split('?')[0]!)
    if (body instanceof Refused) response.statusCode = body.status
    response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
  })
  const stream = options.stream ?? tickets
  const client = createPartnerClient({
    baseUrl,
    partnerKey: 'partner-key',
    developerKey: 'developer-key',
  })
  closing.push(() => client.close())
  const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
  return createEndpoint(stream, { client, governor, concurrency: options.concurrency ?? 3 })
}

/** Reads `WINDOW`, and keeps no page. */
export const contextOf = (endpoint: Endpoint): ListContext => ({
  endpoint,
  wire: WINDOW,
  keepPage: () => Promise.resolve(),
  signal: new AbortController().signal,
})

export interface Read {
  verdict: Awaited<ReturnType<typeof readWindow>>
  reading: Reading
  /** Ids of every staged row: what would be loaded. */
  loaded: Set<string>
  findings: string[]
}

/** Reads the window to its verdict. */
export async function read(
  endpoint: Endpoint,
  reading: Reading = startReading('reading'),
): Promise<Read> {
  const verdict = await readWindow(contextOf(endpoint), reading)
  return {
    verdict,
    reading,
    loaded: new Set(reading.staged.flat().map(row => row.id)),
    findings: [...reading.findings.keys()].sort(),
  }
}
