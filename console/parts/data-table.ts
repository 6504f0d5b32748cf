import { html, NOTHING } from '../../documents/html.ts'
import type { Content, Html } from '../../documents/html.ts'
import { csvForExcel, number } from '../../text/write-csv.ts'

/** What a file says of a thing, and how a page shows it. */
export interface Cell {
  text: string
  show: Content
}

export interface DataTable {
  /** In the address of its file: `?format=csv&table=notices`. */
  id: string
  /** Above it; the page has no other heading for it. */
  title: string
  columns: readonly { name: string; kind?: 'number' | 'id' | 'time' }[]
  rows: readonly (readonly (string | number | Cell)[])[]
  /** What is said where there are no rows, and why there are none. */
  empty: Content
}

/** Longer tables come page by page, so that each of them is quick. */
const ROWS_A_PAGE = 100

/** Which part of a table a page shows: a file has exactly the same rows. */
export interface ShownPart {
  /** From 1 on. */
  page: number
  /** The address of this page with one thing changed. */
  linkTo(changes: Readonly<Record<string, string>>): string
}

const lastPage = ({ rows }: DataTable): number => Math.max(1, Math.ceil(rows.length / ROWS_A_PAGE))

/** A short table beside a long one has no further pages, and stays as it is. */
const pageShown = (table: DataTable, page: number): number => Math.min(page, lastPage(table))

const partOf = (table: DataTable, { page }: Pick<ShownPart, 'page'>): DataTable['rows'] =>
  table.rows.slice((pageShown(table, page) - 1) * ROWS_A_PAGE, pageShown(table, page) * ROWS_A_PAGE)

export function tableSection(table: DataTable, shown: ShownPart): Html {
  const { id, title, columns, rows, empty } = table
  if (rows.length === 0)
    return html`<section>
      <h2>${title}</h2>
      <p>${empty}</p>
    </section>`
  return html`<section>
    <h2 id="${id}">${title}</h2>
    <div class="wide" role="region" aria-labelledby="${id}" tabindex="0">
      <table>
        <thead>
          <tr>
            ${columns.map(({ name, kind = '' }) => html`<th scope="col" class="${kind}">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${partOf(table, shown).map(row => rowOf(table, row))}
        </tbody>
      </table>
    </div>
    <p class="below">
      <a href="${shown.linkTo({ format: 'csv', table: id })}">${title} as CSV</a>
      ${pagesOf(table, shown)}
    </p>
  </section>`
}

const rowOf = ({ columns }: DataTable, row: DataTable['rows'][number]): Html =>
  html`<tr>
    ${row.map((cell, at) => cellOf(cell, columns[at]?.kind))}
  </tr>`

/** A day, or a minute of one, which no line breaks. */
const MOMENT = /^\d{4}-\d\d-\d\d( \d\d:\d\d)?$/

/** A page has thousands: each byte counts. */
function cellOf(cell: string | number | Cell, given: string | undefined): Html {
  const { text, show: shown } = typeof cell === 'object' ? cell : { text: cell, show: cell }
  const kind = given ?? (MOMENT.test(String(text)) ? 'time' : undefined)
  return kind === undefined ? html`<td>${shown}</td>` : html`<td class="${kind}">${shown}</td>`
}

function pagesOf(table: DataTable, { page: asked, linkTo }: ShownPart): Html {
  const { rows } = table
  const [page, last] = [pageShown(table, asked), lastPage(table)]
  if (last <= 1) return NOTHING
  const link = (to: number, word: string): Html =>
    to < 1 || to > last ? NOTHING : html`<a href="${linkTo({ page: String(to) })}">${word}</a>`
  return html`<span>
    Rows ${(page - 1) * ROWS_A_PAGE + 1} to ${Math.min(page * ROWS_A_PAGE, rows.length)} of
    ${rows.length} ${link(page - 1, 'before')} ${link(page + 1, 'after')}
  </span>`
}

/** Exactly what the page shows of it. */
export const tableAsCsv = (table: DataTable, page: number): string =>
  csvForExcel(
    table.columns.map(({ name }) => name),
    partOf(table, { page }).map(row => row.map(textOf)),
  )

function textOf(cell: string | number | Cell): ReturnType<typeof number> | string {
  if (typeof cell === 'number') return number(String(cell))
  return typeof cell === 'object' ? cell.text : cell
}

/** A text that leads to a page of the console. */
export const link = (href: string, text: string): Cell => ({
  text,
  show: html`<a href="${href}">${text}</a>`,
})

/** A path of the console whose parts may hold anything. */
export const pathOf = (...parts: readonly string[]): string =>
  `/${parts.map(encodeURIComponent).join('/')}`
