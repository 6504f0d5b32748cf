/** Markup that this folder made, told apart from a text, which may hold anything. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** What may stand in a page: texts are escaped, markup is not, lists are joined. */
export type Content = Html | string | number | readonly Content[]

/** Markup with what is filled in: html`<p>${text}</p>`. The one place where texts are escaped. */
export const html = (parts: TemplateStringsArray, ...values: readonly Content[]): Html =>
  new Html(
    parts.map((part, at) => (at === 0 ? part : `${markupOf(values[at - 1]!)}${part}`)).join(''),
  )

export const NOTHING = new Html('')

/** A whole page: what its head has besides how it is to be read, and what it shows. */
export function writeHtml(head: readonly Html[], body: Content): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${new Html(head.map(({ markup }) => markup).join('\n        '))}
      </head>
      <body>
        ${body}
      </body>
    </html> `
  return page.markup
}

function markupOf(content: Content): string {
  if (content instanceof Html) return content.markup
  if (typeof content === 'string') return escapeHtml(content)
  if (typeof content === 'number') return String(content)
  return content.map(markupOf).join('\n')
}

/** In an element or in the value of an attribute. */
const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
