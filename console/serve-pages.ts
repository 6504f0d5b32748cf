import type { FastifyReply, FastifyRequest } from 'fastify'
import { isTable, pageNumber, writePage } from './layout.ts'
import type { Page, PageRequest, ShowPage } from './page.ts'
import { PAGES } from './pages/index.ts'
import { storesOf } from './parts/chosen.ts'
import { tableAsCsv } from './parts/data-table.ts'
import type { DataTable } from './parts/data-table.ts'
import { NOT_THERE, sendHtml, sendMessage } from './served.ts'
import type { Served } from './served.ts'
import { signInFor } from './sign-in.ts'

/** Every page, for whoever has signed in. */
export function servePages(served: Served): void {
  for (const [path, show] of Object.entries(PAGES))
    served.app.get(path, (request, reply) => answer(served, show, { request, reply }))
}

async function answer(
  served: Served,
  show: ShowPage,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const asked = askedBy(served, request)
  if (asked === undefined) return reply.redirect(signInFor(request.url), 303)
  const page = await served.withPlace(place => show(place, asked))
  const [path = '/'] = request.url.split('?', 1)
  if (page === undefined) return sendMessage(served, { request, reply }, 404, NOT_THERE)
  if (page.refreshSeconds !== undefined) reply.header('refresh', String(page.refreshSeconds))
  if (asked.query.get('format') !== 'csv') return sendHtml(reply, writePage(page, asked, path))
  const table = chosenTable(page, asked.query.get('table'))
  if (table === undefined) return sendMessage(served, { request, reply }, 404, NO_TABLE)
  const name = [...path.split('/'), table.id].filter(part => /^[\w.-]+$/.test(part)).join('-')
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(tableAsCsv(table, pageNumber(asked.query)))
}

const NO_TABLE = {
  title: 'Not there',
  text: 'This page has no such table.',
  next: 'Below each table of a page is the address of its file.',
}

/** Undefined: nobody has signed in. */
export function askedBy(
  { config, sessions, sessionOf }: Served,
  request: FastifyRequest,
): PageRequest | undefined {
  const person = sessionOf(request)
  if (person === undefined) return undefined
  return {
    person,
    params: request.params as Record<string, string>,
    query: new URLSearchParams(request.url.split('?')[1] ?? ''),
    address: request.url,
    nowMs: Date.now(),
    stores: storesOf({ config }),
    csrf: sessions.tokenOf(person),
  }
}

/** The first, where none is named. */
function chosenTable({ parts }: Page, id: string | null): DataTable | undefined {
  const tables = parts.filter(isTable)
  return id === null ? tables[0] : tables.find(table => table.id === id)
}
