import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, NOTHING } from '../../documents/html.ts'
import { isWithin } from '../age.ts'
import { writeShell } from '../layout.ts'
import { isPassword } from '../password-hash.ts'
import { sendHtml } from '../served.ts'
import type { Served } from '../served.ts'
import type { Session } from '../sessions.ts'
import type { Action } from './action.ts'
import type { Form } from './read-form.ts'
import { Refusal } from './refusal.ts'

const VALID_MS = 10 * 60_000

/** Whether a password was given in the last ten minutes; without users there is none. */
export async function knowsPassword(
  { config, wrongPasswords }: Served,
  person: Session,
  form: Form,
): Promise<boolean> {
  const user = config.console.users.find(({ name }) => name === person.name)
  if (user === undefined || isWithin(VALID_MS, person.passwordMs, Date.now())) return true
  const typed = form.get('password')
  if (typeof typed !== 'string' || typed === '') return false
  const keys = [`name ${user.name.toLowerCase()}`]
  if (wrongPasswords.isClosed(keys, Date.now()))
    throw new Refusal(429, 'Too many wrong passwords.', 'Wait for ten minutes.')
  wrongPasswords.note(keys, Date.now())
  if (!(await isPassword(typed, user.password))) return false
  wrongPasswords.forgive(keys)
  person.passwordMs = Date.now()
  return true
}

/** The same form once more, with a field for the password; 403, since nothing was done yet. */
export function askPassword(
  { sessions }: Served,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { action, form, person }: { action: Action; form: Form; person: Session },
): FastifyReply {
  const fields = [...form].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'password',
  )
  const wasWrong = form.get('password') !== null
  const main = html`<h1>Your password, once more</h1>
    <p class="lead">${action.title}: ${action.effect}</p>
    ${wasWrong ? html`<p class="unproven" role="alert">The password is wrong.</p>` : NOTHING}
    <form class="act" method="post" action="${request.url}">
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <label
        >Password
        <input name="password" type="password" autocomplete="current-password" required autofocus />
      </label>
      <button class="main">${action.title}</button>
    </form>`
  const of = { person, csrf: sessions.tokenOf(person), path: '' }
  return sendHtml(reply.code(403), writeShell({ title: action.title, main, of }))
}
