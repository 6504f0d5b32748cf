import { html } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'

/** A choice that stands in the address, so that a view can be handed to anybody. */
export type Filter =
  | { name: string; label: string; value: string; choices: readonly string[] }
  | { name: string; label: string; value: string; type: 'date' | 'month' }

export const filterForm = (path: string, filters: readonly Filter[]): Html =>
  html`<form class="filters" method="get" action="${path}">
    ${filters.map(
      filter =>
        html`<label
          >${filter.label} ${'choices' in filter ? select(filter) : input(filter)}</label
        >`,
    )}
    <button>Show</button>
  </form>`

const select = ({ name, value, choices }: Extract<Filter, { choices: unknown }>): Html =>
  html`<select name="${name}">
    ${choices.map(choice =>
      choice === value
        ? html`<option value="${choice}" selected>${choice === '' ? 'all' : choice}</option>`
        : html`<option value="${choice}">${choice === '' ? 'all' : choice}</option>`,
    )}
  </select>`

const input = ({ name, value, type }: Extract<Filter, { type: unknown }>): Html =>
  html`<input type="${type}" name="${name}" value="${value}" />`
