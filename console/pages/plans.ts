import { toMinute } from '../../calendar/days.ts'
import { listPlans } from '../../commands/plans/list-plans.ts'
import type { ListedPlan } from '../../commands/plans/list-plans.ts'
import { countOf } from '../../commands/terminal/number.ts'
import type { OutboundEvent } from '../../connectors/destination/outbound.ts'
import { html } from '../../documents/html.ts'
import type { Content, Html } from '../../documents/html.ts'
import { describeRequest } from '../../outbound/ask-changes.ts'
import { describeInterrupted } from '../../outbound/run.ts'
import type { PlanDocument, ShownStore } from '../../push/document.ts'
import { summarize, summarizeEnd } from '../../push/summary.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { actionForms } from '../actions/form.ts'
import { countActions, pushActions } from '../actions/of-plan.ts'
import type { Page, PagePlace, PageRequest, ShowPage } from '../page.ts'
import { storesOf } from '../parts/chosen.ts'
import { link, pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { factList } from '../parts/facts.ts'
import { filterForm } from '../parts/filter-form.ts'
import { statusCell } from '../parts/status.ts'
import type { Status } from '../parts/status.ts'
import { readPushPlan, readReconcilePlan } from './read-plan.ts'

/** Every plan that sends something to the API, the newest first. */
export const showPlans: ShowPage = async (place, request) => {
  const { query } = request
  const store = query.get('store') ?? ''
  const only = storesOf(place).includes(store) ? store : undefined
  const plans = [...(await pushes(place, only)), ...(await reconciliations(place, only))].toSorted(
    (one, other) => (one.createdAt < other.createdAt ? 1 : -1),
  )
  const waiting = plans.filter(({ state }) => statusOf(state) === 'late')
  const trouble = plans.filter(({ state }) => statusOf(state) === 'failed')
  return {
    title: 'Plans',
    sentence:
      trouble.length + waiting.length === 0
        ? 'No plan waits for anybody.'
        : sentenceOf(waiting.length, trouble.length),
    timeZone: 'UTC',
    parts: [
      filterForm('/plans', [
        { name: 'store', label: 'Store', value: only ?? '', choices: ['', ...storesOf(place)] },
      ]),
      plansTable(plans),
      actionForms(request, [
        ['plan-catalog', {}],
        ['plan-counts', {}],
      ]),
    ],
    command: 'tillage push list; tillage reconcile list',
  }
}

function sentenceOf(waiting: number, trouble: number): string {
  const parts = [
    ...(waiting === 0
      ? []
      : [`${countOf(waiting, 'plan')} ${waiting === 1 ? 'waits' : 'wait'} for a decision`]),
    ...(trouble === 0 ? [] : [`${countOf(trouble, 'plan')} did not come to a good end`]),
  ]
  return `${parts.join('; ')}.`
}

const pushes = ({ outbound, ...place }: PagePlace, store?: string): Promise<ListedPlan[]> =>
  listPlans(outbound, 'push', store, async ({ plan }) => {
    const document = await readPushPlan({ ...place, outbound }, plan)
    const what = document.kind === 'undo' ? `undo of ${document.of}` : document.entity
    const operations = document.stores.flatMap(one => one.operations)
    return { state: document.state, says: `${what}: ${summarize(operations)}` }
  })

const reconciliations = (place: PagePlace, store?: string): Promise<ListedPlan[]> =>
  listPlans(place.outbound, 'reconcile', store, async ({ plan }) => {
    const shown = await readReconcilePlan(place, plan)
    const changed = shown.lines.filter(({ delta }) => delta !== '0').length
    return { state: shown.state, says: `counts: ${countOf(changed, 'line')} of ${shown.audit}` }
  })

const GOOD = new Set(['applied', 'confirmed', 'unchanged', 'noop'])
const WAITS = new Set(['planned', 'approved', 'waiting', 'changed'])
const OVER = new Set(['undone', 'discarded', 'abandoned', 'stopped'])

function statusOf(state: string): Status {
  if (GOOD.has(state)) return 'done'
  if (WAITS.has(state)) return 'late'
  if (state === 'unknown') return 'parked'
  return OVER.has(state) ? 'not due' : 'failed'
}

const plansTable = (plans: readonly ListedPlan[]): DataTable => ({
  id: 'plans',
  title: 'Plans',
  columns: [
    { name: 'plan', kind: 'id' },
    { name: 'stores' },
    { name: 'made (UTC)' },
    { name: 'state' },
    { name: 'what' },
  ],
  rows: plans.map(({ plan, stores, createdAt, state, says }) => [
    link(pathOf('plans', plan), plan),
    stores.join(', '),
    toMinute(createdAt),
    statusCell(statusOf(state), state),
    says,
  ]),
  empty: 'There are no plans yet: tillage push plan and tillage reconcile plan make them.',
})

/** One plan: what it does, who allowed it, and how far it is. */
export const showPlan: ShowPage = async (place, request) => {
  const { id = '' } = request.params
  const row = await place.outbound.plan(id)
  if (row === undefined) return undefined
  return row.kind === 'push'
    ? pushPage(request, await readPushPlan(place, id), await place.outbound.events(id))
    : reconcilePage(request, await readReconcilePlan(place, id))
}

/** The folder of an upload tells nobody anything. */
const UPLOADED = /^.*[/\\]tillage-upload-[^/\\]*[/\\]/

function pushPage(
  request: PageRequest,
  document: PlanDocument,
  events: readonly OutboundEvent[],
): Page {
  const { plan, stores, undoneBy } = document
  const operations = stores.flatMap(one => one.operations)
  return {
    title: plan,
    sentence: `${document.kind === 'undo' ? `It undoes ${document.of}` : document.entity}: ${summarize(operations)}. ${endOf(document, operations)}`,
    timeZone: 'UTC',
    parts: [
      factsOf(document, [
        ['stores', stores.map(({ store }) => store).join(', ')],
        ['file', document.file?.path.replace(UPLOADED, '') ?? 'none'],
        ['undone by', undoneBy === null ? 'nothing' : planLink(undoneBy)],
      ]),
      SIGNATURES,
      ...stores.map(changesTable),
      storyOf(events.filter(({ op }) => op === null)),
      actionForms(request, pushActions(document)),
    ],
    command: `tillage push show ${plan}`,
  }
}

/** Before anybody has decided, that nothing is approved is no news. */
function endOf(
  { state, changesAsked }: PlanDocument,
  operations: Parameters<typeof summarizeEnd>[0],
): string {
  const [asked] = changesAsked
  if (asked !== undefined) return `${asked.by} asks for changes; nothing is sent until then.`
  return state === 'planned'
    ? 'It waits for an approval; nothing has been sent.'
    : `It is ${state}: ${summarizeEnd(operations)}.`
}

/** What has to be looked at comes first. */
const riskFirst = (one: ShownStore['operations'][number]): number => -one.flags.length

function changesTable({ store, error, operations }: ShownStore): DataTable {
  return {
    id: `changes-${store}`,
    title: error === null ? store : `${store}: ${error.code}: ${error.message}`,
    columns: [
      { name: 'what' },
      { name: 'record' },
      { name: 'field' },
      { name: 'before' },
      { name: 'after' },
      { name: 'guards' },
      { name: 'state' },
      { name: 'why' },
    ],
    rows: operations
      .filter(({ op }) => op !== 'noop')
      .toSorted((one, other) => riskFirst(one) - riskFirst(other))
      .flatMap(one => {
        const changes =
          one.changes.length === 0 ? [{ field: '', old: null, new: null }] : one.changes
        return changes.map(({ field, old, new: after }) => [
          one.op,
          one.name === '' ? one.externalId : `${one.name} (${one.externalId})`,
          field,
          old ?? '',
          after ?? '',
          one.approval === 'none' ? '' : `${one.flags.join(', ')}: approval ${one.approval}`,
          statusCell(statusOf(one.state), one.state),
          one.error ?? one.reason ?? '',
        ])
      }),
    empty: 'Nothing is to be sent to this store.',
  }
}

function reconcilePage(request: PageRequest, shown: ShownPlan): Page {
  const { plan, state, store, audit, lines, changesAsked } = shown
  const changed = lines.filter(({ delta }) => delta !== '0')
  return {
    title: plan,
    sentence: `Counts of ${store}: ${countOf(changed.length, 'line')} of ${lines.length} ${changed.length === 1 ? 'differs' : 'differ'} from the till. ${changesAsked.length === 0 ? `It is ${state}.` : `${changesAsked[0]!.by} asks for changes; nothing is sent until then.`}`,
    timeZone: 'UTC',
    parts: [
      factsOf(shown, [
        ['store', store],
        ['audit', html`<a href="${pathOf('audits', audit)}">${audit}</a>`],
        ['approvals needed', shown.requiredApprovals],
        ['expires', expiryOf(shown)],
      ]),
      SIGNATURES,
      operationsTable(shown),
      linesTable(shown),
      storyOf(shown.story),
      actionForms(request, countActions(shown)),
    ],
    command: `tillage reconcile show ${plan}`,
  }
}

const expiryOf = ({ expiresAt }: ShownPlan): string =>
  expiresAt === undefined ? 'when it is approved, it has an end' : `${toMinute(expiresAt)} UTC`

const operationsTable = ({ operations }: ShownPlan): DataTable => ({
  id: 'operations',
  title: 'What is sent, room by room',
  columns: [
    { name: 'room' },
    { name: 'state' },
    { name: 'request' },
    { name: 'reconciliation', kind: 'id' },
    { name: 'why' },
    { name: 'to decide' },
  ],
  rows: operations.map(one => [
    one.room,
    statusCell(statusOf(one.state), one.state),
    String(one.request_no ?? ''),
    one.reconciliation_id ?? '',
    one.error ?? '',
    one.choices.map(({ choice, means }) => `${choice}: ${means}`).join('; '),
  ]),
  empty: 'Nothing differs, so there is nothing to send.',
})

/** What is to be decided is not on the fifteenth page. */
const differsFirst = (one: ShownPlan['lines'][number], other: ShownPlan['lines'][number]): number =>
  Number(one.delta === '0') - Number(other.delta === '0')

const linesTable = ({ lines }: ShownPlan): DataTable => ({
  id: 'lines',
  title: 'Lines that were counted',
  columns: [
    { name: 'room' },
    { name: 'product' },
    { name: 'lot', kind: 'id' },
    { name: 'counted', kind: 'number' },
    { name: 'moved since', kind: 'number' },
    { name: 'the till has', kind: 'number' },
    { name: 'will have', kind: 'number' },
    { name: 'difference', kind: 'number' },
    { name: 'worth', kind: 'number' },
    { name: 'state' },
    { name: 'said of it' },
  ],
  rows: lines
    .toSorted(differsFirst)
    .map(line => [
      line.room,
      line.product,
      line.batch_sku,
      line.counted,
      line.movement_since_count,
      line.qty_before,
      line.qty_to_post,
      line.delta,
      line.value_delta ?? 'unknown',
      statusCell(statusOf(line.state), line.state),
      line.discrepancy ?? line.error ?? '',
    ]),
  empty: 'No line was counted.',
})

type Told = Pick<OutboundEvent, 'at' | 'event' | 'by' | 'detail'>

const storyOf = (story: readonly Told[]): Html =>
  html`<section>
    <h2>Its story (UTC)</h2>
    <ul class="things">
      ${story.map(
        ({ at, event, by, detail }) =>
          html`<li>
            ${toMinute(at)}
            ${event}${by === null ? '' : ` by ${by}`}${detail === '' ? '' : `: ${detail}`}
          </li>`,
      )}
    </ul>
  </section>`

type Kept = Pick<PlanDocument, 'hash' | 'interrupted' | 'changesAsked'> & {
  state: string
  approvals: readonly { by: string; at: string }[]
}

const factsOf = (
  { hash, state, interrupted, approvals, changesAsked }: Kept,
  more: readonly (readonly [string, Content])[],
): Html =>
  factList('What is known of it', [
    ['state', state],
    ...more,
    [
      'approved by',
      approvals.length === 0
        ? 'nobody yet'
        : approvals.map(({ by, at }) => `${by}, ${toMinute(at)} UTC`).join('; '),
    ],
    ['changes', changesAsked.map(describeRequest).join('; ') || 'nobody asks for any'],
    ['interrupted', interrupted === null ? 'no' : describeInterrupted(interrupted)],
    ['hash', html`<code>${hash}</code>`],
  ])

const planLink = (plan: string): Html => html`<a href="${pathOf('plans', plan)}">${plan}</a>`

/** On paper alone, and on its first sheet, however long the plan is. */
const SIGNATURES: Html = html`<div class="signatures">
  <span>Name, date, signature</span><span>Second name, date, signature</span>
</div>`
