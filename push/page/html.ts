import { heading, result, section, writeDocument } from '../../documents/document.ts'
import { html, NOTHING } from '../../documents/html.ts'
import type { Content, Html } from '../../documents/html.ts'
import { table } from '../../documents/table.ts'
import type { Row } from '../../documents/table.ts'
import { describeMove } from '../../money/decimal.ts'
import { needsApproval, PRICES, sends } from '../operation.ts'
import type { Change, Operation } from '../operation.ts'
import type { PlanFacts, PlannedStore } from '../plan/plan.ts'
import { summarize } from '../summary.ts'

interface PageOf {
  plan: string
  hash: string
  /** Of a store's amounts, where it is known. */
  currencyOf?: ((store: string) => string) | undefined
}

/** A page that a person can read and print; it needs nothing else. */
export function planPage(
  { plan, hash, currencyOf }: PageOf,
  facts: Omit<PlanFacts, 'files'>,
  operations: readonly Operation[],
): string {
  const title = facts.kind === 'undo' ? `Undo of ${facts.of}` : `Push of ${facts.entity}`
  const head = {
    title,
    number: `plan ${plan}`,
    of: facts.stores.map(({ store }) => store),
    isLandscape: true,
  }
  const stores = facts.stores.map(store =>
    storeSection(
      store,
      operations.filter(operation => operation.store === store.store),
      currencyOf?.(store.store),
    ),
  )
  return writeDocument(head, [
    heading(head),
    result(`${summarize(operations)}. Nothing was sent.`),
    operations.some(sends) ? howToSend(plan) : NOTHING,
    stores,
    section('What the plan was made from', origin(hash, facts)),
  ])
}

const howToSend = (plan: string): Html =>
  html`<p>
    To send it: <code>tillage push approve ${plan} --by NAME</code>, then
    <code>tillage push apply ${plan}</code>. Yellow rows need an approval of their own
    (<code>--guarded</code>); red ones are not sent.
  </p>`

const origin = (hash: string, { file }: Pick<PlanFacts, 'file'>): Html =>
  html`<p>
      File <span class="id">${file.path}</span>, ${file.rows} rows, sha256
      <span class="id">${file.sha256}</span>
    </p>
    <p>Hash of the plan: <span class="id">${hash}</span></p>`

const COLUMNS = [
  { name: 'what' },
  { name: 'name' },
  { name: 'external id', kind: 'id' },
  { name: 'field' },
  { name: 'old' },
  { name: 'new' },
  { name: 'by' },
  { name: 'flags' },
  { name: 'from' },
  { name: 'operation', kind: 'id' },
] as const

function storeSection(
  store: PlannedStore,
  operations: readonly Operation[],
  currency: string | undefined,
): Html {
  const rows = operations.flatMap(operation => rowsOf(operation, currency))
  return section(store.store, html`${summaryOf(store)} ${table(COLUMNS, rows)}`)
}

function summaryOf({ counts, error, requests }: PlannedStore): Html {
  if (error !== null) return html`<p><strong>Could not be planned: ${error.message}</strong></p>`
  const planned = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
  const what = planned.length === 0 ? 'nothing to do' : planned.join(', ')
  return html`<p>${what}; about ${requests.expected} requests, ${requests.seconds} s</p>`
}

function rowsOf(operation: Operation, currency: string | undefined): Row[] {
  const kind = kindOf(operation)
  const row = (...cells: Content[]): Row => (kind === undefined ? { cells } : { cells, kind })
  const first = [`${operation.op} ${operation.entity}`, operation.name, operation.externalId]
  const last = [operation.flags.join(', '), operation.effectiveAt ?? '', operation.id]
  if (operation.changes.length === 0)
    return [row(...first, operation.reason ?? '', '', '', '', ...last)]
  return operation.changes.map((change, at) =>
    row(
      ...(at === 0 ? first : ['', '', '']),
      ...cellsOf(change, currency),
      ...(at === 0 ? last : ['', '', '']),
    ),
  )
}

/** What changes, from what, to what, and by how much where it is a price. */
function cellsOf({ field, old, new: now }: Change, currency: string | undefined): Content[] {
  const isPrice = PRICES.has(field)
  const unit = isPrice && currency !== undefined ? ` ${currency}` : ''
  return [
    field,
    old === null ? NOTHING : html`<span class="old">${old}${unit}</span>`,
    html`<span class="new">${now === null ? '(cleared)' : `${now}${unit}`}</span>`,
    isPrice ? (describeMove(old ?? '', now ?? '') ?? '') : '',
  ]
}

function kindOf(operation: Operation): string | undefined {
  if (operation.op === 'conflict' || operation.op === 'blocked') return 'stuck'
  return needsApproval(operation) ? 'guarded' : undefined
}
