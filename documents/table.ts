import { html, NOTHING } from './html.ts'
import type { Content, Html } from './html.ts'

/** A column: numbers stand to the right, words are never broken, ids and tags are small. */
export interface Column {
  name: string
  kind?: 'number' | 'word' | 'id' | 'id tag'
}

export interface Row {
  cells: readonly Content[]
  /** A class of the stylesheet: `guarded`, `stuck`. */
  kind?: string
}

/** A table without the columns that are empty everywhere; nothing where there are no rows. */
export function table(columns: readonly Column[], rows: readonly Row[]): Html {
  if (rows.length === 0) return NOTHING
  const shown = columns
    .map((column, at) => ({ ...column, at }))
    .filter(({ at }) => rows.some(({ cells }) => cells[at] !== ''))
  const head = shown.map(column => html`<th${classOf(column)}>${column.name}</th>`)
  const body = rows.map(({ cells, kind }) => {
    const tds = shown.map(
      column =>
        html`<td data-name="${column.name}" ${classOf(column)}>${cells[column.at] ?? ''}</td>`,
    )
    return kind === undefined
      ? html`<tr>
          ${tds}
        </tr>`
      : html`<tr class="${kind}">
          ${tds}
        </tr>`
  })
  return html`<table class="rows">
    <thead>
      <tr>
        ${head}
      </tr>
    </thead>
    <tbody>
      ${body}
    </tbody>
  </table>`
}

const classOf = ({ kind }: Column): Html => (kind === undefined ? NOTHING : html` class="${kind}"`)

/** What is known, each with its name; what is empty is left out. */
export function facts(known: readonly (readonly [name: string, value: Content])[]): Html {
  const said = known.filter(([, value]) => value !== '')
  if (said.length === 0) return NOTHING
  return html`<dl class="facts">
    ${said.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}
