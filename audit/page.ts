/** Pages to read and print: one file, no script, nothing from elsewhere. */
import { escapeHtml } from '../outbound/escape-html.ts'

const STYLE = `
  @page { size: A4 landscape; margin: 14mm; }
  body { font: 11px/1.45 system-ui, sans-serif; color: #1c241c; margin: 24px; }
  h1 { font-size: 20px; margin: 0 0 4px; } h2 { font-size: 14px; margin: 20px 0 6px; }
  p { margin: 4px 0; max-width: 120ch; }
  table { border-collapse: collapse; width: 100%; margin: 6px 0; }
  thead { display: table-header-group; } tr { break-inside: avoid; }
  th, td { border-bottom: 1px solid #ccd5cc; padding: 3px 6px; }
  th, td { text-align: left; vertical-align: top; }
  th { background: #e8efe8; font-weight: 600; }
  .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  th.number { white-space: normal; }
  .code { font-family: ui-monospace, monospace; font-size: 10px; overflow-wrap: anywhere; }
  .sign { display: inline-block; width: 42%; margin: 34px 4% 0 0; }
  .sign { border-top: 1px solid #1c241c; padding-top: 3px; }
  @media print { body { margin: 0; } }
`

/** A column of a table on a page; numbers stand to the right. */
export interface PageColumn {
  name: string
  isNumber?: boolean
}

export function pageTable(
  columns: readonly PageColumn[],
  rows: readonly (readonly (string | null)[])[],
): string {
  const cell = (tag: 'th' | 'td', text: string, { isNumber }: PageColumn): string =>
    `<${tag}${isNumber === true ? ' class="number"' : ''}>${escapeHtml(text)}</${tag}>`
  const head = columns.map(column => cell('th', column.name, column)).join('')
  const body = rows.map(
    row => `<tr>${row.map((text, at) => cell('td', text ?? '', columns[at]!)).join('')}</tr>`,
  )
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`
}

export const wholePage = (title: string, parts: readonly string[]): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<style>${STYLE}</style></head><body>
${parts.join('\n')}
</body></html>
`

export const signatureLines = (who: readonly string[]): string =>
  who.map(name => `<span class="sign">${escapeHtml(name)}, name, title, date</span>`).join('\n')
