import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { listenOn } from '../listen.ts'
import { serveActions } from './actions/serve-actions.ts'
import { CONSOLE_SCRIPT } from './assets/script.ts'
import { ICON, CONSOLE_STYLE } from './assets/style.ts'
import { messageOf } from './errors.ts'
import { serveEvents } from './events.ts'
import { serveFiles } from './given-files.ts'
import { allowedOrigins, HEADERS, isOurForm, isOurHost } from './protection.ts'
import { servePages } from './serve-pages.ts'
import { cookieOf, NOT_THERE, sendMessage } from './served.ts'
import type { ConsoleOrder, Served } from './served.ts'
import { serveSignIn } from './sign-in.ts'

export interface Console {
  /** Where people find it: `http://127.0.0.1:8760`. */
  url: string
  close(): Promise<void>
}

/** A form without files. */
const MOST_BODY_BYTES = 64 * 1024

/** Serves the pages for people, until it is closed. */
export async function startConsole(order: ConsoleOrder): Promise<Console> {
  const { listen, publicUrl, users } = order.config.console
  order.sessions.admit(users)
  const app = fastify({
    bodyLimit: MOST_BODY_BYTES,
    // Behind a proxy of this machine, people have addresses of their own.
    trustProxy: publicUrl === undefined ? false : 'loopback',
    requestTimeout: 30_000,
    // An address that cannot be decoded never reaches the hooks.
    frameworkErrors: (_error, request, reply) => {
      void sendMessage(served, { request, reply: reply.headers(HEADERS) }, 404, NOT_THERE)
    },
  })
  const isSecure = publicUrl?.startsWith('https:') === true
  const served: Served = {
    ...order,
    app,
    isSecure,
    sessionOf: request => order.sessions.find(cookieOf(request), Date.now()),
  }
  let origins: ReadonlySet<string> = new Set()
  protect(served, () => origins)
  takeForms(app)
  serveAssets(app)
  serveSignIn(served)
  servePages(served)
  serveFiles(served)
  serveActions(served)
  serveEvents(served)
  // Pages that stay open, as their events do, are closed with us: Fastify does that only for a
  // server on which it listens itself.
  app.addHook('preClose', async () => app.server.closeAllConnections())
  await app.ready()
  const address = await listenOn(app.server, 'console', listen)
  origins = allowedOrigins(address, publicUrl)
  return { url: publicUrl ?? `http://${address}`, close: () => app.close() }
}

/** What is refused before anybody looks at it, and what each answer carries. */
function protect(served: Served, origins: () => ReadonlySet<string>): void {
  const { app } = served
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS)
    if (!isOurHost(request.headers.host, origins()))
      return reply.code(421).type('text/plain').send('this console has another address\n')
    const isForm = request.method !== 'GET' && request.method !== 'HEAD'
    if (isForm && !isOurForm(request.headers, origins()))
      return sendMessage(served, { request, reply }, 403, FOREIGN)
    // Nobody's upload is read; whoever signs in sends a few words.
    const [path] = request.url.split('?', 1)
    if (isForm && path !== '/sign-in' && served.sessionOf(request) === undefined)
      return reply.redirect('/sign-in', 303)
    return undefined
  })
  app.setNotFoundHandler((request, reply) =>
    sendMessage(served, { request, reply }, 404, NOT_THERE),
  )
  app.setErrorHandler((error, request, reply) => {
    const { status, message } = messageOf(error, served.config.localFiles)
    return sendMessage(served, { request, reply }, status, message)
  })
}

const FOREIGN = {
  title: 'Nothing was done',
  text: 'This form did not come from a page of this console.',
  next: 'Open the page anew and send its form again.',
}

/** Fields of forms, by name. */
function takeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
}

function serveAssets(app: FastifyInstance): void {
  const assets = {
    'console.css': ['text/css', CONSOLE_STYLE],
    'console.js': ['text/javascript', CONSOLE_SCRIPT],
    'icon.svg': ['image/svg+xml', ICON],
  } as const
  for (const [name, [type, body]] of Object.entries(assets))
    app.get(`/assets/${name}`, (_request, reply) => reply.type(`${type}; charset=utf-8`).send(body))
}
