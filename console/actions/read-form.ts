import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isDay } from '../../calendar/days.ts'
import type { Session, Sessions } from '../sessions.ts'
import { storeChoices } from './action.ts'
import type { Action, Field } from './action.ts'
import { AGAIN, Refusal } from './refusal.ts'

/** Of all files of one form together. */
export const MOST_UPLOAD_BYTES = 32 * 1024 * 1024
const MOST_FILES = 50

export type Form = URLSearchParams | FormData

/** Forms with files, as browsers send them. */
export function takeFiles(app: FastifyInstance): void {
  const limits = { parseAs: 'buffer' as const, bodyLimit: MOST_UPLOAD_BYTES }
  app.addContentTypeParser('multipart/form-data', limits, (request: FastifyRequest, body: Buffer) =>
    readForm(request.headers['content-type'] ?? '', body),
  )
}

const readForm = (type: string, body: Buffer): Promise<FormData> =>
  new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData().catch(() => {
    throw Object.assign(new Error('this is no form'), { statusCode: 400 })
  })

/** What a form has sent; a request without one has sent nothing. */
export const formOf = ({ body }: FastifyRequest): Form =>
  body instanceof URLSearchParams || body instanceof FormData ? body : new URLSearchParams()

export function textIn(form: Form, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** A page of somebody else, or of another session, knows no token of this one. */
export function refuseForeignForm(sessions: Sessions, session: Session, form: Form): void {
  if (!sessions.isTokenOf(session, textIn(form, '_csrf')))
    throw new Refusal(403, 'This form is not one of your session.', 'Open the page anew.')
}

/** The page on which a form was sent; undefined where it names none of ours. */
export const pageIn = (form: Form): string | undefined => ownAddress(textIn(form, '_from'))

/** An address of this console; undefined where it may lead elsewhere. */
export const ownAddress = (text: string): string | undefined =>
  // Browsers leave out tabs and line ends, and would read `/<tab>/elsewhere` as another host.
  /^\/(?![/\\])[!-~]*$/.test(text) ? text : undefined

/** What was typed and picked, by the names of the fields. */
export function valuesIn(
  { fields }: Action,
  { form, stores }: { form: Form; stores: readonly string[] },
): Record<string, string> {
  const typed = fields.filter(({ kind }) => kind !== 'files')
  const values = Object.fromEntries(
    typed.map(field => [field.name, valueIn(field, { form, stores })]),
  )
  const { from, to } = values
  if (from !== undefined && to !== undefined && to < from)
    throw new Refusal(400, `To, ${to}, is before From, ${from}.`, AGAIN)
  return values
}

/** A field as it was declared; nothing that is typed may look like an option of the command. */
function valueIn(
  field: Field,
  { form, stores }: { form: Form; stores: readonly string[] },
): string {
  const { name } = field
  const value = textIn(form, name)
  const label = 'label' in field ? field.label : field.name
  if (value === '' && !mayBeEmpty(field)) throw new Refusal(400, `${label} is empty.`, AGAIN)
  if (isOdd(value))
    throw new Refusal(400, `${label} is ${JSON.stringify(value.slice(0, 80))}.`, ODD)
  refuseMisshapen(field, value, label)
  const choices = choicesOf(field, stores)
  if (choices !== undefined && !choices.includes(value))
    throw new Refusal(400, `${label} is none of ${choices.join(', ')}.`, AGAIN)
  return value
}

function refuseMisshapen(field: Field, value: string, label: string): void {
  if ((field.kind === 'date' || 'isDay' in field) && !isDay(value))
    throw new Refusal(400, `${label} is not a day of the calendar.`, AGAIN)
  if ('isId' in field && !ID.test(value))
    throw new Refusal(400, `${label} ${JSON.stringify(value.slice(0, 80))} is no id.`, AGAIN)
}

/** Of a plan or an audit. Commands take paths as well, and a page names no file of this machine. */
const ID = /^[A-Z]+-[\w-]+$/

function choicesOf(field: Field, stores: readonly string[]): readonly string[] | undefined {
  if (field.kind === 'store') return storeChoices(field, stores)
  return field.kind === 'choice' ? field.choices : undefined
}

const ODD = 'A text does not begin with a dash, has one line, and at most 1,000 characters.'

const isOdd = (value: string): boolean =>
  value.startsWith('-') || /\p{Cc}/u.test(value) || value.length > 1_000

/** A hidden field may be empty where its page had nothing to say. */
const mayBeEmpty = (field: Field): boolean =>
  (field.kind === 'hidden' && field.needed !== true) ||
  'optional' in field ||
  (field.kind === 'choice' && field.choices.includes(''))

/** Who does it: the person who signed in, or the name that a user of the terminal typed. */
export function personIn(person: Session, action: Action, form: Form): string {
  if (person.name !== undefined) return person.name
  const typed = textIn(form, 'by')
  if (action.namesPerson !== true) return typed
  if (typed === '' || isOdd(typed)) throw new Refusal(400, 'Your name is missing.', AGAIN)
  return typed
}

/** Copies of the files, by field, under their own names, where only their owner reads them. */
export async function keepFiles(action: Action, form: Form): Promise<Map<string, string[]>> {
  const kept = new Map<string, string[]>()
  for (const { name, kind } of action.fields) {
    if (kind !== 'files') continue
    const files = form.getAll(name).filter(one => typeof one !== 'string' && one.name !== '')
    if (files.length === 0 || files.length > MOST_FILES)
      throw new Refusal(400, `${files.length} files were chosen.`, 'Choose one, and at most fifty.')
    const folder = mkdtempSync(join(tmpdir(), 'tillage-upload-'))
    const paths: string[] = []
    for (const [at, file] of (files as File[]).entries()) {
      const path = join(folder, fileName(file.name, at))
      writeFileSync(path, new Uint8Array(await file.arrayBuffer()), { mode: 0o600 })
      paths.push(path)
    }
    kept.set(name, paths)
  }
  return kept
}

/** Of a file of somebody else: it leads nowhere, and two are never one. */
const fileName = (name: string, at: number): string =>
  `${at === 0 ? '' : `${at + 1}_`}${
    name
      .split(/[/\\]/)
      .at(-1)!
      .replaceAll(/[^\w.-]+/g, '_')
      .replace(/^[.-]+/, '')
      .slice(-100) || 'file'
  }`
