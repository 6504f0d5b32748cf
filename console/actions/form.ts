import { randomUUID } from 'node:crypto'
import { html, NOTHING } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import type { PageRequest } from '../page.ts'
import { mayDo } from './action.ts'
import type { Action, Field } from './action.ts'
import { actionNamed } from './index.ts'

type Values = Readonly<Record<string, string>>

/** Who looks at a form, and on which page. */
export type FormRequest = Pick<PageRequest, 'person' | 'csrf' | 'address'>

/** What can be decided here: a form for each that this person may, and what the others need. */
export function actionForms(
  request: FormRequest,
  wanted: readonly (readonly [name: string, values: Values])[],
): Html {
  const { person } = request
  const all = wanted.map(([name, values]) => ({ action: actionNamed(name), values }))
  const may = all.filter(({ action }) => mayDo(person.role, action))
  const others = new Set(
    all.map(({ action }) => action).filter(action => !mayDo(person.role, action)),
  )
  if (all.length === 0) return NOTHING
  return html`<section class="acts">
    <h2>What can be done here</h2>
    ${may.map(({ action, values }) => actionForm(action, values, request))}
    ${[...others].map(
      action => html`<p class="below">${action.title}: needs the role ${action.role} or admin.</p>`,
    )}
  </section>`
}

function actionForm(action: Action, values: Values, { person, csrf, address }: FormRequest): Html {
  const hasFiles = action.fields.some(({ kind }) => kind === 'files')
  const typesName = action.namesPerson === true && person.name === undefined
  return html`<form
    class="act"
    method="post"
    action="/do/${action.name}"
    enctype="${hasFiles ? 'multipart/form-data' : 'application/x-www-form-urlencoded'}"
  >
    <input type="hidden" name="_csrf" value="${csrf}" />
    <input type="hidden" name="_action" value="${randomUUID()}" />
    <input type="hidden" name="_from" value="${address}" />
    <p>${action.effect}</p>
    ${action.fields.map(field => inputOf(field, values[field.name] ?? ''))}
    ${typesName ? html`<label>Your name <input name="by" required maxlength="80" /></label>` : NOTHING}
    <button class="main">${action.title}</button>
    <p class="below">
      At a terminal: <code>tillage ${shownCommand(action, values, person.name)}</code>
    </p>
  </form>`
}

function inputOf(field: Field, value: string): Html {
  if (field.kind === 'hidden')
    return html`<input type="hidden" name="${field.name}" value="${value}" />`
  if (field.kind === 'choice')
    return html`<label
      >${field.label}
      <select name="${field.name}">
        ${field.choices.map(
          choice =>
            html`<option value="${choice}" ${choice === value ? 'selected' : ''}>
              ${choice === '' ? 'as tillage.yaml says' : choice}
            </option>`,
        )}
      </select>
    </label>`
  if (field.kind === 'shown')
    return html`<label
      >${field.label} <input name="${field.name}" value="${value}" readonly
    /></label>`
  const isRequired = 'optional' in field ? '' : 'required'
  if (field.kind === 'files')
    return html`<label
      >${field.label} <input type="file" name="${field.name}" multiple ${isRequired}
    /></label>`
  return html`<label
    >${field.label}
    <input type="${field.kind}" name="${field.name}" value="${value}" ${isRequired} />
  </label>`
}

/** The command that does the same, with what is still to be typed in capitals. */
export function shownCommand(action: Action, values: Values, name: string | undefined): string {
  const words = action.command({
    value: field => typedValue(action, field, values[field]),
    files: () => ['FILE'],
    by: name ?? 'NAME',
  })
  return words.map(quoted).join(' ')
}

/** What must be typed, and is not yet, is shown as an example of it. */
function typedValue(action: Action, name: string, value: string | undefined): string {
  const field = action.fields.find(one => one.name === name)
  const isLacking = value === '' && field !== undefined && isTyped(field) && !('optional' in field)
  return value === undefined || isLacking ? example(action, name) : value
}

const isTyped = ({ kind }: Field): boolean => kind === 'text' || kind === 'date'

function example({ fields }: Action, name: string): string {
  const field = fields.find(one => one.name === name)
  if (field?.kind === 'date') return '2026-01-01'
  return field?.kind === 'choice' && field.choices.includes('') ? '' : name.toUpperCase()
}

export const quoted = (word: string): string =>
  /^[\w./:@=,-]+$/.test(word) ? word : JSON.stringify(word)
