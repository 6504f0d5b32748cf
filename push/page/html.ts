import { needsApproval } from '../operation.ts'
import type { Operation } from '../operation.ts'
import type { PlanFacts, PlannedStore } from '../plan.ts'

const STYLE = `
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem; color: #1b1f23; }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #d0d7de; vertical-align: top }
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
  const title = `${facts.kind === 'undo' ? `Undo of ${facts.of}` : `Push of ${facts.entity}`}, plan ${plan}`
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
<p>File <code>${escape(facts.file.path)}</code>, ${facts.file.rows} rows, sha256 <code>${facts.file.sha256}</code><br>
Hash of the plan: <code>${hash}</code></p>
<p>Nothing was sent. To send it: <code>tillage push approve ${plan} --by NAME</code>, then <code>tillage push apply ${plan}</code>.
Yellow rows need an approval of their own (<code>--guarded</code>); red ones are not sent.</p>
${stores.join('\n')}
</body></html>
`
}

function storeSection(store: PlannedStore, operations: readonly Operation[]): string {
  const counts = Object.entries(store.counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
  const content =
    store.error === null
      ? `<p>${counts === '' ? 'nothing to do' : counts}; about ${store.requests.expected} requests, ${store.requests.seconds} s</p>`
      : `<p><strong>Could not be planned: ${escape(store.error.message)}</strong></p>`
  const rows = operations.flatMap(operation => operationRows(operation))
  const table =
    rows.length === 0
      ? ''
      : `<table><thead><tr><th>operation</th><th>what</th><th>external id</th><th>field</th><th>old</th><th>new</th><th>flags</th><th>from</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`
  return `<h2>${escape(store.store)}</h2>\n${content}\n${table}`
}

function operationRows(operation: Operation): string[] {
  const stuck = operation.op === 'conflict' || operation.op === 'blocked'
  const guarded = needsApproval(operation) ? 'guarded' : ''
  const kind = stuck ? 'stuck' : guarded
  const first = `<td>${operation.id}</td><td>${operation.op} ${operation.entity}</td><td>${escape(operation.externalId)}</td>`
  const last = `<td>${escape(operation.flags.join(', '))}</td><td>${escape(operation.effectiveAt ?? '')}</td>`
  if (operation.changes.length === 0)
    return [
      `<tr class="${kind}">${first}<td colspan="3">${escape(operation.reason ?? '')}</td>${last}</tr>`,
    ]
  return operation.changes.map((change, index) => {
    const head = index === 0 ? first : '<td></td><td></td><td></td>'
    const tail = index === 0 ? last : '<td></td><td></td>'
    return `<tr class="${kind}">${head}<td>${change.field}</td><td class="old">${escape(change.old ?? '')}</td><td class="new">${escape(change.new ?? '(cleared)')}</td>${tail}</tr>`
  })
}

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
