import { randomUUID } from 'node:crypto'
import { shellWord } from '../../commands/terminal/shell-word.ts'
import { html, NOTHING } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import type { PageRequest } from '../page.ts'
import { mayDo, storeChoices } from './action.ts'
import type { Action, Field } from './action.ts'
import { actionNamed } from './index.ts'

type Values = Readonly<Record<string, string>>

/** Who looks at a form, and on which page. */
export type FormRequest = Pick<PageRequest, 'person' | 'csrf' | 'address' | 'stores'>

/**
 * What can be decided here: a form for each that this person may, and what the others need. `said`
 * is why something else cannot.
 */
export function actionForms(
  request: FormRequest,
  wanted: readonly (readonly [name: string, values: Values])[],
  said = '',
): Html {
  const { person } = request
  const all = wanted.map(([name, values]) => ({ action: actionNamed(name), values }))
  const may = all.filter(({ action }) => mayDo(person.role, action))
  const others = new Set(
    all.map(({ action }) => action).filter(action => !mayDo(person.role, action)),
  )
  if (all.length === 0 && said === '') return NOTHING
  return html`<section class="acts">
    <h2>What can be done here</h2>
    ${said === '' ? NOTHING : html`<p>${said}</p>`}
    ${may.map(({ action, values }) => actionForm(action, values, request))}
    ${[...others].map(
      action => html`<p class="below">${action.title}: needs the role ${action.role} or admin.</p>`,
    )}
  </section>`
}

function actionForm(action: Action, values: Values, request: FormRequest): Html {
  const { person, csrf, address, stores } = request
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
    ${action.fields.map(field => inputOf(field, values[field.name] ?? '', stores))}
    ${typesName ? html`<label>Your name <input name="by" required maxlength="80" /></label>` : NOTHING}
    <button class="main">${action.title}</button>
    <p class="below">
      At a terminal: <code>tillage ${shownCommand(action, values, person.name)}</code>
    </p>
  </form>`
}

function inputOf(field: Field, value: string, stores: readonly string[]): Html {
  if (field.kind === 'hidden')
    return html`<input type="hidden" name="${field.name}" value="${value}" />`
  if (field.kind === 'choice') return selectOf({ ...field, empty: 'as tillage.yaml says' }, value)
  if (field.kind === 'store')
    return selectOf({ ...field, choices: storeChoices(field, stores), empty: 'all' }, value)
  if (field.kind === 'shown')
    return html`<label
      >${field.label}
      <input name="${field.name}" value="${value}" readonly size="${Math.max(4, value.length)}" />
    </label>`
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

interface Select {
  name: string
  label: string
  choices: readonly string[]
  /** What the empty choice means. */
  empty: string
}

const selectOf = ({ name, label, choices, empty }: Select, value: string): Html =>
  html`<label
    >${label}
    <select name="${name}">
      ${choices.map(
        choice =>
          html`<option value="${choice}" ${choice === value ? 'selected' : ''}>
            ${choice === '' ? empty : choice}
          </option>`,
      )}
    </select>
  </label>`

/** The command that does the same, with what is still to be typed in capitals. */
export function shownCommand(action: Action, values: Values, name: string | undefined): string {
  const words = action.command({
    value: field => typedValue(action, field, values[field]),
    files: () => ['FILE'],
    by: name ?? 'NAME',
  })
  return words.map(shellWord).join(' ')
}

/** What must be typed, and is not yet, is shown as an example of it. */
function typedValue(action: Action, name: string, value: string | undefined): string {
  const field = action.fields.find(one => one.name === name)
  const isLacking = value === '' && field !== undefined && isTyped(field) && !('optional' in field)
  return value === undefined || isLacking ? example(action, name) : value
}

const isTyped = ({ kind }: Field): boolean => ['text', 'date', 'store'].includes(kind)

function example({ fields }: Action, name: string): string {
  const field = fields.find(one => one.name === name)
  if (field?.kind === 'date') return '2026-01-01'
  return field?.kind === 'choice' && field.choices.includes('') ? '' : name.toUpperCase()
}
