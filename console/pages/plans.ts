import { toMinute } from '../../calendar/days.ts'
import { listPlans, listPushes } from '../../commands/plans/list-plans.ts'
import type { ListedPlan } from '../../commands/plans/list-plans.ts'
import { showCounts, showPush } from '../../commands/plans/load-plans.ts'
import { countOf } from '../../commands/terminal/number.ts'
import type { OutboundEvent, OutboundPlan } from '../../connectors/destination/outbound.ts'
import { html } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import { effectiveMinute } from '../../push/document.ts'
import type { PlanDocument, ShownStore } from '../../push/document.ts'
import { UNDONE } from '../../push/load-plan.ts'
import { withoutPeople } from '../../push/people.ts'
import { inverseShown, standingOf, summarize, summarizeEnd } from '../../push/summary.ts'
import { actionForms } from '../actions/form.ts'
import { pushActions } from '../actions/of-plan.ts'
import type { Page, PagePlace, PageRequest, ShowPage } from '../page.ts'
import { chosenStores, storeFilter } from '../parts/chosen.ts'
import { link, pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { filterForm } from '../parts/filter-form.ts'
import { statusCell } from '../parts/status.ts'
import type { Status } from '../parts/status.ts'
import { countPage } from './count-plan.ts'
import { factsOf, planForms, SIGNATURES, statusOf, storyOf, waitsFor } from './plan-parts.ts'

/** Every plan that sends something to the API, the newest first. */
export const showPlans: ShowPage = async (place, request) => {
  const { named } = chosenStores(request)
  const only = named === '' ? undefined : named
  const plans = [
    ...(await listPushes(place, only)),
    ...(await reconciliations(place, only)),
  ].toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
  return {
    title: 'Plans',
    sentence: sentenceOf(plans),
    timeZone: 'UTC',
    parts: [
      filterForm('/plans', [storeFilter(request, named)]),
      plansTable(plans),
      actionForms(request, [
        ['plan-catalog', {}],
        ['plan-counts', {}],
      ]),
    ],
    command: 'tillage push list; tillage reconcile list',
  }
}

/** What somebody has to look at, the most urgent first. */
const TOLD: readonly [Status, one: string, many: string][] = [
  ['parked', 'has an outcome that nobody knows', 'have an outcome that nobody knows'],
  ['late', 'waits for a decision', 'wait for a decision'],
  ['failed', 'did not come to a good end', 'did not come to a good end'],
]

function sentenceOf(plans: readonly ListedPlan[]): string {
  const parts = TOLD.flatMap(([status, one, many]) => {
    const { length } = plans.filter(({ state }) => statusOf(state) === status)
    return length === 0 ? [] : [`${countOf(length, 'plan')} ${length === 1 ? one : many}`]
  })
  return parts.length === 0 ? 'No plan waits for anybody.' : `${parts.join('; ')}.`
}

const reconciliations = (place: PagePlace, store?: string): Promise<ListedPlan[]> =>
  listPlans(place.outbound, 'reconcile', store, async ({ plan }) => {
    const shown = await showCounts(place, plan)
    const changed = shown.lines.filter(({ delta }) => delta !== '0').length
    return { state: shown.state, says: `counts: ${countOf(changed, 'line')} of ${shown.audit}` }
  })

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
  return row.kind === 'push' ? pushPage(place, request, row) : countPage(place, request, row)
}

/** The folder of an upload tells nobody anything. */
const UPLOADED = /^.*[/\\]tillage-upload-[^/\\]*[/\\]/

async function pushPage(place: PagePlace, request: PageRequest, row: OutboundPlan): Promise<Page> {
  const document = await showPush(place, row.plan)
  const events = await place.outbound.events(row.plan)
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
      ...withoutPeople(document).stores.map(changesTable),
      storyOf(events.filter(({ op }) => op === null).map(describeEvent)),
      await planForms(place, request, {
        row,
        wanted: pushActions(document),
        changesAsked: document.changesAsked,
      }),
    ],
    command: `tillage push show ${plan}`,
  }
}

/** Before anybody has decided, that nothing is approved is no news. */
function endOf(document: PlanDocument, operations: Parameters<typeof summarizeEnd>[0]): string {
  const { state } = document
  const end = summarizeEnd(operations)
  const inverse = inverseShown(document)
  if (inverse !== undefined) return `${inverse}; ${end}.`
  return waitsFor(document) ?? `It is ${state}: ${end}.`
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
      { name: 'from' },
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
          effectiveMinute(one) ?? 'at once',
          guardsOf(one),
          statusCell(statusOf(standingOf(one)), standingOf(one)),
          one.error ?? one.reason ?? '',
        ])
      }),
    empty: 'Nothing is to be sent to this store.',
  }
}

/** A warning is for whoever approves, also where it stops nothing. */
const guardsOf = ({ flags, approval }: ShownStore['operations'][number]): string =>
  `${flags.join(', ')}${approval === 'none' ? '' : `: approval ${approval}`}`

const planLink = (plan: string): Html => html`<a href="${pathOf('plans', plan)}">${plan}</a>`

type Told = Pick<OutboundEvent, 'at' | 'event' | 'by' | 'detail'>

function describeEvent({ at, event, by, detail }: Told): string {
  const what = event === UNDONE ? 'its undo was planned' : event
  const who = by === null ? '' : ` by ${by}`
  return `${toMinute(at)} ${what}${who}${detail === '' ? '' : `: ${detail}`}`
}
