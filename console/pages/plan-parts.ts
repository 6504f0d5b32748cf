import { toMinute } from '../../calendar/days.ts'
import { whyMayNotApprove } from '../../commands/plans/who-may-approve.ts'
import type { OutboundPlan } from '../../connectors/destination/outbound.ts'
import { html, NOTHING } from '../../documents/html.ts'
import type { Content, Html } from '../../documents/html.ts'
import { nameKey } from '../../outbound/approval.ts'
import { describeRequest } from '../../outbound/ask-changes.ts'
import { describeInterrupted } from '../../outbound/run.ts'
import type { PlanDocument } from '../../push/document.ts'
import { mayDo } from '../actions/action.ts'
import { actionForms } from '../actions/form.ts'
import { actionNamed } from '../actions/index.ts'
import type { Wanted } from '../actions/of-plan.ts'
import { PREPARED, preparerOf } from '../actions/prepared.ts'
import type { PagePlace, PageRequest } from '../page.ts'
import { factList } from '../parts/facts.ts'
import type { Status } from '../parts/status.ts'

const GOOD = new Set(['applied', 'confirmed', 'unchanged', 'noop'])
const WAITS = new Set(['planned', 'approved', 'waiting', 'changed'])
const OVER = new Set(['undo planned', 'undone', 'discarded', 'abandoned', 'stopped'])

/** How a plan, or a part of it, is shown. */
export function statusOf(state: string): Status {
  if (GOOD.has(state)) return 'done'
  if (WAITS.has(state)) return 'late'
  if (state === 'unknown') return 'parked'
  return OVER.has(state) ? 'not due' : 'failed'
}

export type Kept = Pick<PlanDocument, 'hash' | 'interrupted' | 'changesAsked'> & {
  state: string
  approvals: readonly { by: string; at: string }[]
}

/** What is known of a plan of either kind. */
export const factsOf = (
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

/** Whom a plan of either kind waits for; undefined where somebody has decided. */
export function waitsFor({ state, changesAsked }: Kept): string | undefined {
  const [asked] = changesAsked
  if (asked !== undefined)
    return `${asked.by} asks for changes; nothing is sent until it is planned anew, or ${asked.by} takes that back.`
  return state === 'planned' ? 'It waits for an approval; nothing has been sent.' : undefined
}

/** On paper alone, and on its first sheet, however long the plan is. */
export const SIGNATURES: Html = html`<div class="signatures">
  <span>Name, date, signature</span><span>Second name, date, signature</span>
</div>`

/** What can be decided about a plan. Who may not approve it reads who may, and sees no button. */
export async function planForms(
  place: PagePlace,
  request: PageRequest,
  { row, wanted, changesAsked }: { row: OutboundPlan; wanted: Wanted } & Pick<Kept, 'changesAsked'>,
): Promise<Html> {
  // Nothing is approved meanwhile.
  if (changesAsked.length > 0) return formsWhileAsked(request, wanted, changesAsked)
  const approval = wanted.map(([name]) => actionNamed(name)).find(one => one.isApproval === true)
  const { name, role } = request.person
  if (approval === undefined || name === undefined || !mayDo(role, approval))
    return actionForms(request, wanted)
  const why = await whyMayNotApprove(place, row, {
    name,
    people: place.config.console.users
      .filter(user => mayDo(user.role, approval))
      .map(user => user.name),
    preparedBy: preparerOf(await place.notedActs(PREPARED), row.plan),
  })
  if (why === undefined) return actionForms(request, wanted)
  const others = wanted.filter(([one]) => actionNamed(one).isApproval !== true)
  return actionForms(request, others, `${approval.title}: ${why}`)
}

/** Who did not ask for changes reads who did, and sees no button to take that back. */
function formsWhileAsked(
  request: PageRequest,
  wanted: Wanted,
  changesAsked: Kept['changesAsked'],
): Html {
  const { name } = request.person
  const isOwn = changesAsked.some(({ by }) => name === undefined || nameKey(by) === nameKey(name))
  if (isOwn) return actionForms(request, wanted)
  const withdrawal = wanted.map(([one]) => actionNamed(one)).find(one => one.isWithdrawal === true)
  const others = wanted.filter(([one]) => actionNamed(one) !== withdrawal)
  const askers = changesAsked.map(({ by }) => by).join(' and ')
  return actionForms(request, others, `${withdrawal?.title}: for ${askers}, who asked for changes.`)
}

/** As the command tells it, line by line. */
export const storyOf = (lines: readonly string[]): Html =>
  lines.length === 0
    ? NOTHING
    : html`<section>
        <h2>Its story (UTC)</h2>
        <ul class="things">
          ${lines.map(line => html`<li>${line}</li>`)}
        </ul>
      </section>`
