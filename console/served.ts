import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { CommandRuns } from './actions/run-command.ts'
import { messageMain, writeShell } from './layout.ts'
import type { Message } from './layout.ts'
import type { PagePlace } from './page.ts'
import type { Session, Sessions } from './sessions.ts'
import type { WrongPasswords } from './wrong-passwords.ts'

/**
 * What a console knows of its people as long as its program runs: settings that change meanwhile
 * neither sign anybody out nor end a command that somebody waits for.
 */
export interface Remembered {
  sessions: Sessions
  wrongPasswords: WrongPasswords
  /** The commands that were started on its pages. */
  commands: CommandRuns
}

/** What the console needs of the program that serves it. */
export interface ConsoleOrder extends Remembered {
  config: Config
  /** Everything that pages are made from, for the time of one request. */
  withPlace<Answer>(read: (place: PagePlace) => Promise<Answer>): Promise<Answer>
  /** What they are read from; another one after a while. */
  withDatabase<Answer>(read: (database: ReadOnlyDatabase) => Promise<Answer>): Promise<Answer>
  /** Adds an act to the audit log, on the disk before this resolves. */
  noteAct(act: string, detail: Readonly<Record<string, unknown>>): Promise<void>
  /** What was noted so under this name, oldest first. */
  notedActs(act: string): Promise<Readonly<Record<string, unknown>>[]>
}

/** What all parts of a running console share. */
export interface Served extends ConsoleOrder {
  app: FastifyInstance
  /** Whether cookies may travel without TLS. */
  isSecure: boolean
  /** Whose request it is; undefined: nobody has signed in. */
  sessionOf(request: FastifyRequest): Session | undefined
}

const COOKIE = 'tillage_session'
export const NOT_THERE = {
  title: 'Not there',
  text: 'There is no such page.',
  next: 'The pages are in the navigation; what you look for may have another name by now.',
}

export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** A page that says what happened; the navigation is there for who has signed in. */
export function sendMessage(
  { sessionOf, sessions }: Served,
  { request, reply }: Exchange,
  status: number,
  message: Message,
): FastifyReply {
  if (asksForFile(request)) return sendNoFile(reply, status, message)
  const person = sessionOf(request)
  const main = messageMain(message)
  const shell =
    person === undefined
      ? { title: message.title, main }
      : { title: message.title, main, of: { person, csrf: sessions.tokenOf(person), path: '' } }
  return sendHtml(reply.code(status), writeShell(shell))
}

/** What it gets is kept under the name of a table. */
const asksForFile = ({ url }: FastifyRequest): boolean =>
  new URLSearchParams(url.split('?')[1] ?? '').get('format') === 'csv'

/** A page may say with 200 why there is nothing on it; no program takes that for a file. */
const sendNoFile = (reply: FastifyReply, status: number, { text }: Message): FastifyReply =>
  reply
    .code(status === 200 ? 404 : status)
    .type('text/plain; charset=utf-8')
    .send(`${text}\n`)

export const sendHtml = (reply: FastifyReply, page: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(page)

/** Strict: no link from elsewhere brings the session along. */
export function setCookie({ isSecure }: Served, reply: FastifyReply, id: string): FastifyReply {
  const parts = [`${COOKIE}=${id}`, 'Path=/', 'HttpOnly', 'SameSite=Strict']
  if (id === '') parts.push('Max-Age=0')
  if (isSecure) parts.push('Secure')
  return reply.header('set-cookie', parts.join('; '))
}

export const cookieOf = ({ headers }: FastifyRequest): string | undefined =>
  new RegExp(`(?:^|;)\\s*${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]
