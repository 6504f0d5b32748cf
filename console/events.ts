import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { Served } from './served.ts'

const POLL_EVERY_MS = 1_000
/** So that nobody in between takes the line for dead. */
const SIGN_OF_LIFE_EVERY = 20
/** Of all people together: a browser opens one for each of its tabs. */
const MOST_LISTENERS = 200

/**
 * Says that something was written, and nothing else: the page is asked for again then, so rights
 * are checked in one place. The database is polled while somebody listens.
 */
export function serveEvents({ app, withDatabase, sessionOf }: Served): void {
  const listeners = new Map<ServerResponse, FastifyRequest>()
  const watch = createWatch(withDatabase, {
    tell(event) {
      for (const one of listeners.keys()) one.write(event)
    },
    // The line of a session is over with it, whoever holds it open.
    before() {
      for (const [one, request] of listeners) if (sessionOf(request) === undefined) one.end()
    },
  })
  app.get('/events', (request, reply) => {
    if (sessionOf(request) === undefined || listeners.size >= MOST_LISTENERS)
      return reply.code(403).type('text/plain').send('sign in first\n')
    reply.hijack()
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream',
    })
    reply.raw.write(': here\n\n')
    listeners.set(reply.raw, request)
    watch.start()
    reply.raw.on('close', () => {
      listeners.delete(reply.raw)
      if (listeners.size === 0) watch.stop()
    })
    return reply
  })
  app.addHook('onClose', () => watch.stop())
}

function createWatch(
  withDatabase: Served['withDatabase'],
  { tell, before }: { tell(event: string): void; before(): void },
): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let last: { database: ReadOnlyDatabase; version: number } | undefined
  let polls = 0
  const poll = async (): Promise<void> => {
    before()
    const now = await withDatabase(async database => ({
      database,
      version: await database.changeNumber(),
    }))
    // Numbers of one that was opened anew cannot be compared with those before.
    const isSame = last?.database === now.database && last.version === now.version
    if (last !== undefined && !isSame) tell('event: changed\ndata: database\n\n')
    else if (++polls % SIGN_OF_LIFE_EVERY === 0) tell(': here\n\n')
    last = now
  }
  return {
    start() {
      if (timer !== undefined) return
      // A database that is not there yet, or away, is asked for again.
      const pollSafely = (): void => void poll().catch(() => {})
      timer = setInterval(pollSafely, POLL_EVERY_MS)
      // What changes before the first poll, nobody would hear of.
      pollSafely()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
      last = undefined
    },
  }
}
