import { html } from '../../documents/html.ts'
import type { Content, Html } from '../../documents/html.ts'

/** What is known of one thing, a line each. */
export const factList = (title: string, facts: readonly (readonly [string, Content])[]): Html =>
  html`<section>
    <h2>${title}</h2>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </section>`
