import { toMinute } from '../../calendar/days.ts'
import { describeMove } from '../../money/decimal.ts'
import { describeRequest } from '../../outbound/ask-changes.ts'
import { describeInterrupted } from '../../outbound/run.ts'
import { effectiveMinute } from '../../push/document.ts'
import type { PlanDocument, ShownOperation, ShownStore } from '../../push/document.ts'
import { PRICES } from '../../push/operation.ts'
import { isOfPeople, namesPeople, withoutPeople } from '../../push/people.ts'
import { inverseShown, standingOf, summarize, summarizeEnd } from '../../push/summary.ts'
import { countOf } from '../terminal/number.ts'
import { fold } from '../terminal/started-as.ts'
import { formatTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { cut } from '../terminal/wrap.ts'

/** Longer values are cut in a table; plan.html and `--json` have all of them. */
const MOST_CHARACTERS = 24
/** Longer tables are for files. */
const MOST_ROWS = 200

/** A plan as a document, or as a table for each store; `people`: with who people are. */
export function printPushPlan(
  document: PlanDocument,
  terminal: Terminal,
  { people = false }: { people?: boolean } = {},
): void {
  if (terminal.json) terminal.print(JSON.stringify(document))
  else if (!namesPeople(document)) terminal.print(describe(document))
  else if (people) terminal.print(`${describe(document)}\n${peopleOf(document)}`)
  else terminal.print(`${describe(withoutPeople(document))}\n${toSee(document)}`)
}

/** What tells who somebody is, whole: to be compared, letter by letter. */
const peopleOf = ({ stores }: PlanDocument): string =>
  stores
    .flatMap(({ operations }) => operations)
    .flatMap(({ externalId, changes }) =>
      changes
        .filter(({ field }) => isOfPeople(field))
        .map(
          ({ field, old, new: next }) =>
            `${externalId} ${field}: ${old ?? '(nothing)'} -> ${next ?? '(cleared)'}`,
        ),
    )
    .join('\n')

const toSee = ({ plan }: PlanDocument): string =>
  fold(`Hidden is what tells who somebody is: tillage push show ${plan} --people`)

function describe(document: PlanDocument): string {
  const what = document.kind === 'undo' ? `undo of ${document.of}` : `push of ${document.entity}`
  const approved = document.approvals.map(({ by, at }) => `${by} at ${toMinute(at)}Z`)
  const operations = document.stores.flatMap(store => store.operations)
  const inverse = inverseShown(document)
  const isBegun = document.state !== 'planned' && document.state !== 'approved'
  return [
    `Plan ${document.plan}: ${what}, ${document.state}`,
    ...(inverse === undefined ? [] : [fold(inverse)]),
    ...(document.interrupted === null ? [] : [describeInterrupted(document.interrupted)]),
    ...document.stores.flatMap(describeFailure),
    summarize(operations),
    ...document.stores.map(store => describeStore(store, document.entity)),
    '',
    ...(approved.length === 0 ? [] : [`Approved by ${approved.join(', ')}`]),
    ...document.changesAsked.map(request => fold(describeRequest(request))),
    `Hash ${document.hash}`,
    `Page ${document.files.find(({ format }) => format === 'html')?.path ?? ''}`,
    ...(isBegun ? [summarizeEnd(operations)] : []),
    ...nextStep(document),
  ].join('\n')
}

const describeFailure = ({ store, error }: ShownStore): string[] =>
  error === null ? [] : [fold(`${store} failed: ${error.code}: ${error.message}`)]

function describeStore(store: ShownStore, catalog: string): string {
  const counts = Object.entries(store.counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
  const { expected, seconds } = store.requests
  const failed = store.error === null ? '' : 'failed; '
  const lines = [
    '',
    `${store.store}: ${failed}${counts.length === 0 ? 'nothing to do' : counts.join(', ')}; ` +
      `about ${expected} requests, ${seconds} s`,
  ]
  const rows = store.operations.flatMap(operation => operationRows(operation, catalog))
  if (rows.length > 0)
    lines.push(
      formatTable(
        ['external id', 'name', 'field', 'old', 'new', 'by', 'flags', 'state'],
        rows.slice(0, MOST_ROWS),
        { below: 'flags', minor: ['name'] },
      ),
    )
  if (rows.length > MOST_ROWS) lines.push(`  and ${rows.length - MOST_ROWS} more: see the page`)
  const said = store.operations.filter(({ error, reason }) => error !== null || reason !== null)
  for (const operation of said.slice(0, MOST_ROWS))
    lines.push(
      fold(`  ${operation.id} ${nameOf(operation)}: ${operation.error ?? operation.reason}`),
    )
  return lines.join('\n')
}

/** As the file names a record; what no row of it is about may have no external id. */
const nameOf = ({ externalId, name }: ShownOperation): string => externalId || name

function operationRows(operation: ShownOperation, catalog: string): string[][] {
  const { name, flags, op, entity } = operation
  const state = describeState(operation)
  const id = entity === catalog ? nameOf(operation) : `${entity} ${nameOf(operation)}`
  const notes = [op === 'update' ? '' : op, ...flags].filter(text => text !== '').join(' ')
  const first = [shortValue(id), shortValue(name)]
  if (operation.changes.length === 0) return [[...first, '', '', '', '', notes, state]]
  return operation.changes.map((change, index) => {
    const cells = changeCells(change)
    return index === 0 ? [...first, ...cells, notes, state] : ['', '', ...cells, '', '']
  })
}

/** With the time from which on it counts: who approves it has to know. */
function describeState(operation: ShownOperation): string {
  const state = standingOf(operation)
  const minute = effectiveMinute(operation)
  if (minute === undefined || state === 'applied' || state === 'discarded') return state
  return state === 'waiting' ? `waiting until ${minute}` : `${state}, from ${minute}`
}

function changeCells({ field, old, new: next }: ShownOperation['changes'][number]): string[] {
  const moves = PRICES.has(field) ? describeMove(old ?? '', next ?? '') : undefined
  return [field, shortValue(old ?? ''), shortValue(next ?? '(cleared)'), moves ?? '']
}

export const shortValue = (value: string): string =>
  cut(value.replaceAll(/\s+/g, ' '), MOST_CHARACTERS)

function nextStep({ plan, state, stores, interrupted, changesAsked }: PlanDocument): string[] {
  if (interrupted !== null) return [`To go on with the rest: tillage push apply ${plan}`]
  const [asked] = changesAsked
  if (asked !== undefined)
    return [`Next: a new plan; or ${asked.by}: tillage push withdraw-request ${plan} --by NAME`]
  if (state === 'stopped')
    return [
      'It stopped, and nothing more of it is sent. Next: a new plan, and ' +
        `tillage push discard ${plan} --by NAME --reason TEXT`,
    ]
  const operations = stores.flatMap(store => store.operations)
  const unknown = operations.find(({ state: of }) => of === 'unknown')
  if (unknown !== undefined)
    return [
      `Next: tillage push apply ${plan} looks for it again; or look in the store, and say ` +
        `tillage push resolve ${plan} ${unknown.id} --sent ID --by NAME, or --not-sent`,
    ]
  const open = operations.filter(
    ({ approval, state: of }) => approval === 'required' && of === 'planned',
  )
  const guarded =
    open.length === 0
      ? []
      : [
          `With an approval of their own, --guarded all|ID,...: ${countOf(open.length, 'operation')}`,
        ]
  const planned = operations.filter(({ state: of }) => of === 'planned')
  // Without the option such an approval would allow nothing.
  const option = planned.length === open.length ? ' --guarded all' : ''
  if (state === 'planned')
    return planned.length === 0
      ? []
      : [...guarded, `Next: tillage push approve ${plan} --by NAME${option}`]
  return state === 'approved' ? [...guarded, `Next: tillage push apply ${plan}`] : guarded
}

/** What is in the way of a plan: 3 where something of it cannot be sent. */
export const planExitStatus = ({ stores }: PlanDocument): number =>
  stores.some(({ error, counts }) => error !== null || counts.conflict > 0 || counts.blocked > 0)
    ? 3
    : 0
