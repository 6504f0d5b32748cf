import { html, Html, NOTHING, writeHtml } from './html.ts'
import type { Content } from './html.ts'
import { STYLE } from './style.ts'

export interface DocumentHead {
  /** What it is: `Inventory audit`. */
  title: string
  /** By which it is found again; it stands on each sheet. */
  number: string
  /** Whose it is, as far as it is known: store, licence. It stands on each sheet, too. */
  of: readonly string[]
  isLandscape?: boolean
  /** Rules of one kind of document, besides the stylesheet of all. */
  style?: string
}

/**
 * A page that people read, print, sign and send: one file, no script, nothing from elsewhere. On
 * paper each sheet has the document's number and its own.
 */
export function writeDocument(head: DocumentHead, parts: readonly Content[]): string {
  const { title, number, style = '' } = head
  const rules = STYLE + sheetStyle(head) + style
  return writeHtml(
    [
      html`<title>${title} ${number}</title>`,
      // Spaces too: what was given out is made again byte by byte.
      new Html(`<style>\n          ${rules}\n        </style>`),
    ],
    parts,
  )
}

/** What stands on top of the first sheet. */
export const heading = ({ title, number, of }: DocumentHead): Html =>
  html`<header>
    <h1>${title}</h1>
    <p>${[number, ...of].join(' · ')}</p>
  </header>`

/** A title with what stands below it; nothing where there is nothing. */
export const section = (title: string, content: Html): Html =>
  content.markup === ''
    ? NOTHING
    : html`<section>
        <h2>${title}</h2>
        ${content}
      </section>`

/** The whole result in a sentence. */
export const result = (sentence: string): Html => html`<p class="result">${sentence}</p>`

/** What somebody has to do; nothing where there is nothing. */
export const needs = (things: readonly Content[]): Html =>
  things.length === 0
    ? NOTHING
    : html`<div class="needs">
        <h2>What needs somebody</h2>
        <ul>
          ${things.map(thing => html`<li>${thing}</li>`)}
        </ul>
      </div>`

/** Where each of them signs. */
export const signatures = (people: readonly string[]): Html =>
  html`<div class="signatures">
    ${people.map(who => html`<span>${who}: name, title, signature, date</span>`)}
  </div>`

/** The margins of a sheet of paper: whose document it is, its number, and the sheet's own. */
function sheetStyle({ title, number, of, isLandscape }: DocumentHead): string {
  const box = (content: string): string =>
    `{ content: ${content}; font: 7.5pt system-ui, sans-serif; color: #55605a; }`
  return `
  @page { size: ${isLandscape === true ? 'landscape' : 'portrait'}; margin: 14mm 12mm 16mm;
    @bottom-left ${box(cssText(`${title} ${number}`))}
    @bottom-center ${box(cssText(of.join(' · ')))}
    @bottom-right ${box('"page " counter(page) " of " counter(pages)')} }
`
}

/** A text as CSS has it: nothing in it can end the string, or the stylesheet. */
const cssText = (text: string): string =>
  `"${text.replaceAll(/[^\w .,:·-]/gu, character => `\\${character.codePointAt(0)!.toString(16)} `)}"`
