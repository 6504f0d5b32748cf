import type { PlanDocument, ShownOperation, ShownState } from './document.ts'
import type { Inverse } from './load-plan.ts'
import { needsApproval, PRICES } from './operation.ts'
import type { Operation } from './operation.ts'

type Planned = Pick<Operation, 'op' | 'flags'> & { changes: readonly { field: string }[] }

/** What a plan would do, in a line: `37 prices, 5 new, 3 guarded`. */
export function summarize(operations: readonly Planned[]): string {
  const prices = count(operations, isOfPrices)
  const others = count(operations, isOther)
  const counts: [many: number, what: string][] = [
    [prices, prices === 1 ? 'price' : 'prices'],
    [others, others === 1 ? 'other change' : 'other changes'],
    [count(operations, ({ op }) => op === 'create'), 'new'],
    [count(operations, ({ op }) => op === 'deactivate'), 'out of use'],
    [count(operations, ({ op }) => op === 'reactivate'), 'back in use'],
    [count(operations, needsApproval), 'guarded'],
    [count(operations, ({ op }) => op === 'conflict'), 'in conflict'],
    [count(operations, ({ op }) => op === 'blocked'), 'blocked'],
  ]
  const said = counts.filter(([many]) => many > 0).map(([many, what]) => `${many} ${what}`)
  return said.length === 0 ? 'nothing to do' : said.join(', ')
}

const count = <Item>(items: readonly Item[], is: (item: Item) => boolean): number =>
  items.filter(is).length

const isOfPrices = ({ op, changes }: Planned): boolean =>
  op === 'update' && changes.some(({ field }) => PRICES.has(field))

const isOther = (operation: Planned): boolean => operation.op === 'update' && !isOfPrices(operation)

/** In the order in which somebody has to look at them, sent ones first. */
const ENDS: readonly (readonly [end: End, what: string])[] = [
  ['applied', 'sent'],
  ['found', 'there already'],
  ['noop', 'already as planned'],
  ['waiting', 'not due yet'],
  ['planned', 'not approved'],
  ['approved', 'not sent yet'],
  ['stale', 'changed by others'],
  ['failed', 'not taken'],
  ['discarded', 'discarded'],
  ['unknown', 'unknown'],
  ['conflict', 'in conflict'],
  ['blocked', 'blocked'],
]

/** `found`: what was to be created was there; `noop`: what was to be changed was so already. */
type End = ShownState | 'found' | 'discarded'

/** What became of a plan, in a line: `42 sent, 3 not approved: price_change`. */
export function summarizeEnd(operations: readonly ShownOperation[]): string {
  const said = ENDS.flatMap(([end, what]) => {
    const those = operations.filter(operation => endOf(operation) === end)
    if (those.length === 0) return []
    const reasons = [...new Set(those.flatMap(whyOf))]
    const why = reasons.length === 0 ? '' : `: ${reasons.slice(0, MOST_REASONS).join('; ')}`
    const more = reasons.length > MOST_REASONS ? `; and ${reasons.length - MOST_REASONS} more` : ''
    return [`${those.length} ${what}${why}${more}`]
  })
  return said.length === 0 ? 'nothing was to be sent' : said.join(', ')
}

function endOf(operation: ShownOperation): End | undefined {
  if (operation.state === 'applied' && operation.reason !== null) return 'found'
  return operation.op === 'noop' ? undefined : standingOf(operation)
}

/** How an operation stands, in a word: what a person gave up has not failed. */
export const standingOf = ({ state, discarded }: ShownOperation): ShownState | 'discarded' =>
  discarded ? 'discarded' : state

/** What an inverse means for the plan that it undoes. */
export const describeInverse = ({ plan, isOnlyPlanned }: Inverse): string =>
  isOnlyPlanned
    ? `${plan}, which undoes it, is planned; nothing more of it is sent unless ${plan} is discarded`
    : `${plan} undoes it, and nothing more of it is sent`

/** The same, of a plan as it is shown; undefined where nothing undoes it. */
export const inverseShown = ({
  undoneBy: plan,
  state,
}: Pick<PlanDocument, 'undoneBy' | 'state'>): string | undefined =>
  plan === null ? undefined : describeInverse({ plan, isOnlyPlanned: state === 'undo planned' })

const MOST_REASONS = 3

function whyOf({ state, error, reason, flags }: ShownOperation): readonly string[] {
  if (state === 'waiting' || state === 'approved') return []
  if (state === 'planned') return flags
  return [error ?? reason ?? ''].filter(text => text !== '')
}
