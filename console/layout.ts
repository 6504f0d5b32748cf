import { localMinute } from '../calendar/clock.ts'
import { html, Html, NOTHING, writeHtml } from '../documents/html.ts'
import type { Content } from '../documents/html.ts'
import type { Page, PageRequest } from './page.ts'
import { tableSection } from './parts/data-table.ts'
import type { DataTable, ShownPart } from './parts/data-table.ts'

/** The eight pages, as the navigation has them. */
const PAGES = [
  ['/', 'Today'],
  ['/coverage', 'Coverage'],
  ['/books', 'Books'],
  ['/plans', 'Plans'],
  ['/compliance', 'Compliance'],
  ['/problems', 'Problems'],
  ['/runs', 'Runs'],
  ['/connections', 'Connections'],
] as const

/** Pages of one thing stand below the page that lists them. */
const PARENTS: Readonly<Record<string, string>> = { '/audits': '/compliance' }

interface Shell {
  title: string
  main: Content
  /** Undefined: nobody is signed in. */
  of?: Pick<PageRequest, 'person' | 'csrf'> & { path: string }
}

/** What each answer that people see stands in. */
export function writeShell({ title, main, of }: Shell): string {
  const head = [
    html`<meta name="color-scheme" content="light dark" />`,
    html`<title>${title} · Tillage</title>`,
    html`<link rel="stylesheet" href="/assets/console.css" />`,
    html`<link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />`,
    html`<script src="/assets/console.js" defer></script>`,
  ]
  const body = html`<a class="skip" href="#main">Skip to the content</a>
    ${of === undefined ? NOTHING : headerOf(of)}
    <main id="main" tabindex="-1">${main}</main>`
  return writeHtml(head, body)
}

function headerOf({ person, csrf, path }: NonNullable<Shell['of']>): Html {
  const first = `/${path.split('/')[1] ?? ''}`
  const current = PARENTS[first] ?? first
  return html`<header>
    <nav aria-label="Pages">
      <ul>
        ${PAGES.map(
          ([href, name]) =>
            html`<li><a href="${href}" ${currentOf(href === current)}>${name}</a></li>`,
        )}
      </ul>
    </nav>
    <form method="post" action="/sign-out">
      <input type="hidden" name="_csrf" value="${csrf}" />
      <span>${person.name ?? 'Terminal user'} (${person.role})</span>
      <button>Sign out</button>
    </form>
  </header>`
}

const currentOf = (isCurrent: boolean): Html =>
  isCurrent ? new Html('aria-current="page"') : NOTHING

export function writePage(
  { title, sentence, timeZone, parts, command }: Page,
  { person, csrf, query, nowMs }: PageRequest,
  path: string,
): string {
  const shown = shownPart(path, query)
  const main = html`<h1>${title}</h1>
    <p class="lead">${sentence}</p>
    <p class="as-of">As of ${localMinute(nowMs, timeZone)}<span id="live"></span></p>
    <div id="parts" data-live>
      ${parts.map(part => (isTable(part) ? tableSection(part, shown) : part))}
    </div>
    <p class="command">The same at a terminal: <code>${command}</code></p>
    <p id="changed" class="hidden" role="status"></p>`
  return writeShell({ title, main, of: { person, csrf, path } })
}

export const isTable = (part: Content | DataTable): part is DataTable =>
  typeof part === 'object' && 'columns' in part

/** Which rows of its tables a page shows. */
function shownPart(path: string, query: URLSearchParams): ShownPart {
  return {
    page: pageNumber(query),
    linkTo(changes) {
      const next = new URLSearchParams(query)
      for (const [name, value] of Object.entries(changes)) next.set(name, value)
      return `${path}?${next.toString()}`
    },
  }
}

export const pageNumber = (query: URLSearchParams): number =>
  Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1)

/** An answer that is no page: what happened, and what to do. */
export interface Message {
  title: string
  text: string
  next: Content
  code?: string
}

export const messageMain = ({ title, text, next, code }: Message): Html =>
  html`<h1>${title}</h1>
    <p class="lead">${text}</p>
    <p>${next}</p>
    ${code === undefined ? NOTHING : html`<p class="as-of">${code}</p>`}`
