import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join, relative, sep } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findAudit } from '../audit/folder.ts'
import type { AuditFolder } from '../audit/folder.ts'
import { knownFiles } from '../books/given-files.ts'
import type { GivenFile } from '../connectors/destination/given-out.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { JOURNAL_DATASETS } from '../exports/journal/write-formats.ts'
import { RESTATEMENT } from '../exports/sales/restatement.ts'
import { contentTypeOf } from '../objects/content-type.ts'
import { isBelow, pathOf } from '../objects/place.ts'
import { sha256BytesOf } from '../sha256.ts'
import { compareTexts } from '../text/compare-texts.ts'
import { HEADERS } from './protection.ts'
import { NOT_THERE, sendMessage } from './served.ts'
import type { Served } from './served.ts'
import type { Person } from './sessions.ts'

/** Datasets in which no column is about a person, and what a journal is made of and checked by. */
const OF_NOBODY: ReadonlySet<string> = new Set([
  ...datasetsOf(streams)
    .filter(({ columns }) => columns.every(({ person }) => !person))
    .map(({ name }) => name),
  ...JOURNAL_DATASETS,
  RESTATEMENT,
])

/** Whether a file may be handed to whoever sees the page (INV-10). */
export const isOfNobody = ({ dataset }: { dataset: string }): boolean => OF_NOBODY.has(dataset)

/** Paths of an audit's files inside its folder, with `/` between. */
export const filesOfAudit = ({ path }: AuditFolder): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(path, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted(compareTexts)

/** Count sheets are for whoever counts; everything else of an audit says what there should be. */
const isSheet = (file: string): boolean => file.startsWith('sheets/')

/** Whether a person is given a file of an audit. */
export const maySeeFile = ({ role }: Person, file: string): boolean =>
  isSheet(file) || role === 'compliance' || role === 'admin'

/** Files that pages name, to take away. An address names one of a list, and never a path. */
export function serveFiles(served: Served): void {
  const { app, config, sessionOf, withPlace } = served
  type Asked<Params> = FastifyRequest<{ Params: Params }>

  app.get(
    '/audits/:id/files/*',
    (request: Asked<{ id: string; '*': string }>, reply): FastifyReply => {
      const person = sessionOf(request)
      if (person === undefined) return reply.redirect('/sign-in', 303)
      const folder = findAudit(config.exports, request.params.id)
      const file = folder && filesOfAudit(folder).find(one => one === request.params['*'])
      if (file === undefined) return sendMessage(served, { request, reply }, 404, NOT_THERE)
      if (!maySeeFile(person, file))
        return sendMessage(served, { request, reply }, 403, NEEDS_COMPLIANCE)
      return sendFile(reply, join(folder!.path, file))
    },
  )

  app.get(
    '/books/:store/:day/files/:name',
    async (request: Asked<{ store: string; day: string; name: string }>, reply) => {
      if (sessionOf(request) === undefined) return reply.redirect('/sign-in', 303)
      const { store, day, name } = request.params
      const all = await withPlace(({ database }) => knownFiles(database.givenOut, config, store))
      const named = all.filter(
        one => one.from === day && isOfNobody(one) && basename(one.path) === name,
      )
      const path = await pathHere(config, named)
      if (path === undefined) return sendMessage(served, { request, reply }, 404, NOT_THERE)
      return sendFile(reply, path)
    },
  )
}

/** The first that is there. Of a bucket it is brought, unless it is not as it was given out. */
async function pathHere(
  { objects }: Served['config'],
  files: readonly GivenFile[],
): Promise<string | undefined> {
  for (const { path: address, sha256 } of files) {
    const path = pathOf(objects, address)
    if (existsSync(path)) return path
    if (objects === undefined || !isBelow(objects, address)) continue
    const { bringFile } = await import('../objects/bring.ts')
    if (await bringFile(objects, path, sha256)) return path
  }
  return undefined
}

const NEEDS_COMPLIANCE = {
  title: 'Not for you to see',
  text: 'This file says what there should be; it needs the role compliance or admin.',
  next: 'The sheets to count on are for everybody.',
}

/** A document of ours opens in the browser, to be read and printed; all else is taken away. */
function sendFile(reply: FastifyReply, path: string): FastifyReply {
  if (extname(path) === '.html') return sendDocument(reply, readFileSync(path, 'utf8'))
  return reply
    .type(contentTypeOf(path))
    .header('content-disposition', `attachment; filename="${basename(path)}"`)
    .send(createReadStream(path))
}

/** With its own stylesheet, and nothing else: it is named by its hash. */
function sendDocument(reply: FastifyReply, page: string): FastifyReply {
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? []
  const hash = sha256BytesOf(style).toString('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`
  return reply
    .headers({ ...HEADERS, 'content-security-policy': policy })
    .type('text/html; charset=utf-8')
    .send(page)
}
