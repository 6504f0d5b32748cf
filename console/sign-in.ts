import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, NOTHING } from '../documents/html.ts'
import type { Html } from '../documents/html.ts'
import { formOf, ownAddress, refuseForeignForm, textIn } from './actions/read-form.ts'
import type { Form } from './actions/read-form.ts'
import { writeShell } from './layout.ts'
import { isPassword } from './password-hash.ts'
import { sendHtml, setCookie } from './served.ts'
import type { Served } from './served.ts'
import type { Person } from './sessions.ts'
import { useTicket } from './tickets.ts'

/** With users by name and password; without, by a ticket that the user of this machine has made. */
export function serveSignIn(served: Served): void {
  const { app, config, sessions, sessionOf, wrongPasswords: wrong } = served
  const hasUsers = config.console.users.length > 0
  const enter = (reply: FastifyReply, request: FastifyRequest, person: Person): FastifyReply => {
    const before = sessionOf(request)
    if (before !== undefined) sessions.end(before.id)
    const { id } = sessions.begin(person, Date.now())
    return setCookie(served, reply, id).redirect(addressIn(request), 303)
  }
  const refuse = (reply: FastifyReply, status: number, problem: string): FastifyReply =>
    sendHtml(reply.code(status), signInPage(hasUsers, addressIn(reply.request), problem))

  app.get<{ Querystring: { ticket?: string | string[] } }>('/sign-in', (request, reply) => {
    const { ticket } = request.query
    if (ticket === undefined) return sendHtml(reply, signInPage(hasUsers, addressIn(request)))
    const isGood = !hasUsers && typeof ticket === 'string' && useTicket(config.localFiles, ticket)
    return isGood ? enter(reply, request, TERMINAL_USER) : refuse(reply, 403, TICKET_USED)
  })

  app.post('/sign-in', async (request, reply) => {
    const given = formOf(request)
    const name = textIn(given, 'name')
    const keys = [`name ${name.toLowerCase()}`, `address ${request.ip}`]
    if (wrong.isClosed(keys, Date.now())) return refuse(reply, 429, CLOSED)
    const user = config.console.users.find(one => one.name.toLowerCase() === name.toLowerCase())
    // Counted beforehand: many at once are as many tries.
    wrong.note(keys, Date.now())
    if (!(await isPassword(passwordIn(given), user?.password)) || user === undefined)
      return refuse(reply, 403, 'The name or the password is wrong.')
    wrong.forgive(keys)
    return enter(reply, request, { name: user.name, role: user.role })
  })

  app.post('/sign-out', (request, reply) => {
    const session = sessionOf(request)
    if (session !== undefined) {
      refuseForeignForm(sessions, session, formOf(request))
      sessions.end(session.id)
    }
    return setCookie(served, reply, '').redirect('/sign-in', 303)
  })
}

/** Where somebody signs in who has asked for a page, and is led to it then. */
export const signInFor = (address: string): string =>
  address === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(address)}`

/** The page that was asked for before. */
function addressIn({ url }: FastifyRequest): string {
  const asked = new URLSearchParams(url.split('?')[1] ?? '').get('to')
  return ownAddress(asked ?? '/') ?? '/'
}

/** As it was typed: blanks belong to it. */
function passwordIn(form: Form): string {
  const typed = form.get('password')
  return typeof typed === 'string' ? typed : ''
}

/** Without users, whoever has a ticket is the user of the terminal, who may do everything there. */
const TERMINAL_USER: Person = { name: undefined, role: 'admin' }

const TICKET_USED = 'This ticket was used before, or is older than ten minutes.'
const CLOSED = 'Too many wrong passwords: this name and this address are closed for ten minutes.'

function signInPage(hasUsers: boolean, address: string, problem?: string): string {
  const main = html`<h1>Sign in</h1>
    ${problem === undefined ? NOTHING : html`<p class="lead unproven" role="alert">${problem}</p>`}
    ${hasUsers ? passwordForm(address) : TICKET_HINT}
    <p>
      Signed in already, and came here by a link of another program? <a href="${address}">Go on</a>
    </p>`
  return writeShell({ title: 'Sign in', main })
}

const passwordForm = (address: string): Html =>
  html`<form class="act" method="post" action="${signInFor(address)}">
    <label>Name <input name="name" autocomplete="username" required autofocus /></label>
    <label
      >Password
      <input name="password" type="password" autocomplete="current-password" required />
    </label>
    <button class="main">Sign in</button>
  </form>`

const TICKET_HINT: Html = html`<p>
  Whoever may use the terminal of this machine may use this page:
  <code>tillage console ticket</code>
  prints an address that works once, within ten minutes.
</p>`
