import { escapeHtml as escape } from '../../outbound/escape-html.ts'
import { needsApproval } from '../operation.ts'
import type { Operation } from '../operation.ts'
import type { PlanFacts, PlannedStore } from '../plan/plan.ts'

const STYLE = `
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem; color: #1b1f23; }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem }
th, td { text-align: left; padding: .3rem .6rem; vertical-align: top }
th, td { border-bottom: 1px solid #d0d7de }
th { background: #f6f8fa; position: sticky; top: 0 }
.old { color: #82071e; text-decoration: line-through } .new { color: #116329 }
.guarded td { background: #fff8c5 } .stuck td { background: #ffebe9 }
code { font-size: .9em; overflow-wrap: anywhere }
@media print { body { margin: 0 } th { position: static } }`

/** A page that a person can read and print; it needs nothing else. */
export function planPage(
  plan: string,
  hash: string,
  facts: Omit<PlanFacts, 'files'>,
  operations: readonly Operation[],
): string {
  const what = facts.kind === 'undo' ? `Undo of ${facts.of}` : `Push of ${facts.entity}`
  const title = `${what}, plan ${plan}`
  const stores = facts.stores.map(store =>
    storeSection(
      store,
      operations.filter(operation => operation.store === store.store),
    ),
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)}</title><style>${STYLE}</style></head><body>
<h1>${escape(title)}</h1>
<p>File <code>${escape(facts.file.path)}</code>, ${facts.file.rows} rows,
sha256 <code>${facts.file.sha256}</code><br>
Hash of the plan: <code>${hash}</code></p>
<p>Nothing was sent. To send it: <code>tillage push approve ${plan} --by NAME</code>,
then <code>tillage push apply ${plan}</code>.
Yellow rows need an approval of their own (<code>--guarded</code>); red ones are not sent.</p>
${stores.join('\n')}
</body></html>
`
}

const COLUMNS = ['operation', 'what', 'external id', 'field', 'old', 'new', 'flags', 'from']
const HEAD = COLUMNS.map(name => `<th>${name}</th>`).join('')

function storeSection(store: PlannedStore, operations: readonly Operation[]): string {
  const rows = operations.flatMap(operationRows)
  const table =
    rows.length === 0
      ? ''
      : `<table><thead><tr>${HEAD}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
  return `<h2>${escape(store.store)}</h2>\n${summaryOf(store)}\n${table}`
}

function summaryOf({ counts, error, requests }: PlannedStore): string {
  if (error !== null)
    return `<p><strong>Could not be planned: ${escape(error.message)}</strong></p>`
  const planned = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
  const what = planned.length === 0 ? 'nothing to do' : planned.join(', ')
  return `<p>${what}; about ${requests.expected} requests, ${requests.seconds} s</p>`
}

function operationRows(operation: Operation): string[] {
  const stuck = operation.op === 'conflict' || operation.op === 'blocked'
  const guarded = needsApproval(operation) ? 'guarded' : ''
  const kind = stuck ? 'stuck' : guarded
  const row = (...cells: string[]): string => `<tr class="${kind}">${cells.join('')}</tr>`
  const first = [operation.id, `${operation.op} ${operation.entity}`, operation.externalId]
  const last = [operation.flags.join(', '), operation.effectiveAt ?? '']
  if (operation.changes.length === 0) {
    const reason = `<td colspan="3">${escape(operation.reason ?? '')}</td>`
    return [row(...first.map(cell), reason, ...last.map(cell))]
  }
  return operation.changes.map((change, index) => {
    const onFirst = (text: string): string => cell(index === 0 ? text : '')
    return row(
      ...first.map(onFirst),
      cell(change.field),
      `<td class="old">${escape(change.old ?? '')}</td>`,
      `<td class="new">${escape(change.new ?? '(cleared)')}</td>`,
      ...last.map(onFirst),
    )
  })
}

const cell = (text: string): string => `<td>${escape(text)}</td>`
