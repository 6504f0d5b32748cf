import type {
  OperationState,
  OutboundEvent,
  OutboundOperation,
  StoredReceipt,
} from '../connectors/destination/outbound.ts'
import { validApprovals } from '../outbound/approval.ts'
import { openRequests } from '../outbound/ask-changes.ts'
import type { ChangeRequest } from '../outbound/ask-changes.ts'
import { receiptPath, receiptsFolder } from '../outbound/receipt.ts'
import { isAllowed } from '../outbound/remembered.ts'
import type { Interrupted } from '../outbound/run.ts'
import {
  asNumber,
  CHOICES,
  factsOf,
  isNotTaken,
  isUnexplained,
  quantityOf,
  UNEXPLAINED,
} from './operation-facts.ts'
import type { Choice } from './operation-facts.ts'
import type { KeptPlan } from './plan-files.ts'
import type { PlanLine } from './plan.ts'
import type { Reconciling } from './reconciling.ts'
import { rememberPlan, standingOf } from './remembered.ts'
import type { RememberedPlan } from './remembered.ts'
import { describeHistory } from './story.ts'
import type { StoryLine } from './story.ts'

/** How a line or an operation stands, for people: what is planned may be approved by now. */
export type ShownState = OperationState | 'approved'

/** The same of a whole plan, of which lots may be as nobody can explain after all was taken. */
export type ShownEnd = ShownState | typeof UNEXPLAINED

export interface ShownOperation {
  op_id: string
  token: string
  inventory_id: string
  room: string
  note: string
  state: ShownState
  request_no: string | number | null
  reconciliation_id: string | null
  trans_no: string | null
  error: string | null
  choices: { choice: Choice; means: string; command: string }[]
}

export type ShownLine = PlanLine & {
  state: ShownState
  qty_after: string | null
  verified_at: string | null
  discrepancy: string | null
  error: string | null
}

/** The answer of `plan`, `apply`, `show` and `resolve`: the document, and how far it is. */
export interface ShownPlan {
  plan: string
  hash: string
  store: string
  audit: string
  state: ShownEnd
  /** Where the process of the last apply died in the middle of it. */
  interrupted: Interrupted | null
  requiredApprovals: 1 | 2
  /** When the approvals that count expire. */
  expiresAt?: string
  path: string
  page: string
  lines: ShownLine[]
  operations: ShownOperation[]
  uncounted: KeptPlan['document']['uncounted']
  approvals: { by: string; role: string; at: string; hash: string }[]
  /** Who wants it otherwise: until they take that back, no approval counts. */
  changesAsked: ChangeRequest[]
  story: StoryLine[]
  receipts: {
    seq: number
    op_id: string
    path: string
    sha256: string
    previous_sha256: string | null
  }[]
}

interface Seen {
  remembered: RememberedPlan
  isApproved: boolean
}

export async function showPlan(
  reconciling: Pick<Reconciling, 'store' | 'settings' | 'runner' | 'now'>,
  kept: KeptPlan,
): Promise<ShownPlan> {
  const nowMs = reconciling.now()
  const { document, path, page } = kept
  const { plan, audit, requiredApprovals, uncounted } = document
  const remembered = await rememberPlan(reconciling, kept)
  const seen: Seen = { remembered, isApproved: isAllowed(remembered, nowMs) }
  const operations = document.operations.map(one => showOperation(one, seen))
  const lines = document.lines.map(line => showLine(line, seen))
  const states = [
    ...[...operations, ...lines.filter(isNotTaken)].map(({ state }) => state),
    ...lines.filter(isUnexplained).map((): ShownEnd => UNEXPLAINED),
  ]
  const { runner } = reconciling
  return {
    plan,
    hash: kept.plan.hash,
    store: document.store,
    audit,
    state: overall(states, seen.isApproved),
    interrupted: standingOf(remembered, { runner, nowMs }).interrupted ?? null,
    requiredApprovals,
    ...expiryOf(remembered, nowMs),
    path,
    page,
    lines,
    operations,
    uncounted,
    approvals: remembered.approvals.map(({ by, role, at, hash: of }) => ({
      by,
      role,
      at,
      hash: of,
    })),
    changesAsked: openRequests(remembered.events),
    story: describeHistory(remembered),
    receipts: remembered.receipts.map(receipt => showReceipt(path, receipt)),
  }
}

const showReceipt = (document: string, receipt: StoredReceipt): ShownPlan['receipts'][number] => ({
  seq: receipt.seq,
  op_id: receipt.op,
  path: receiptPath(receiptsFolder(document), receipt),
  sha256: receipt.sha256,
  previous_sha256: receipt.previousSha256,
})

/** Of those that count; where none does any more, when that came. */
function expiryOf(
  { rules, approvals }: Pick<RememberedPlan, 'rules' | 'approvals'>,
  nowMs: number,
): { expiresAt?: string } {
  const valid = validApprovals(rules, approvals, nowMs)
  const times = (valid.length === 0 ? approvals : valid)
    .map(({ at }) => Date.parse(at))
    .filter(ms => !Number.isNaN(ms))
  if (times.length === 0) return {}
  return { expiresAt: new Date(Math.min(...times) + rules.validMs).toISOString() }
}

/** What needs somebody comes first. */
const WORST_FIRST: readonly ShownEnd[] = [
  'unknown',
  'submitted',
  'failed',
  'rejected',
  'stale',
  UNEXPLAINED,
  'approved',
  'planned',
  'abandoned',
  'confirmed',
]

function overall(states: readonly ShownEnd[], approved: boolean): ShownEnd {
  if (states.length === 0) return approved ? 'approved' : 'unchanged'
  return WORST_FIRST.find(state => states.includes(state)) ?? 'unchanged'
}

const shown = (state: OperationState, approved: boolean): ShownState =>
  state === 'planned' && approved ? 'approved' : state

function showOperation(
  { op_id, token, inventory_id, room, note }: KeptPlan['document']['operations'][number],
  { remembered: { operations, events }, isApproved: approved }: Seen,
): ShownOperation {
  const operation = operations.find(({ op }) => op === op_id)!
  const { requestNo, reconciliationId, transNo } = factsOf(operation)
  return {
    op_id,
    token,
    inventory_id,
    room,
    note,
    state: shown(operation.state, approved),
    request_no: asNumber(requestNo),
    reconciliation_id: reconciliationId ?? null,
    trans_no: transNo ?? null,
    error: errorOf(operation, events) ?? describeLeft(operation),
    choices: operation.state === 'unknown' ? choicesOf(operation.plan, op_id) : [],
  }
}

const TELLING: Partial<Record<OperationState, readonly string[]>> = {
  unknown: ['parked'],
  rejected: ['rejected'],
  failed: ['not taken'],
  stale: ['stale'],
}

function errorOf(
  { op, state }: OutboundOperation,
  events: readonly OutboundEvent[],
): string | null {
  const names = TELLING[state] ?? []
  return events.findLast(event => event.op === op && names.includes(event.event))?.detail ?? null
}

/** What each decision about a parked operation does. */
export const MEANS: Readonly<Record<Choice, string>> = {
  confirm: 'you have seen in the platform that it was taken; nothing is sent',
  retry: 'the history is searched once more, and only if it is not there it is sent once more',
  abandon: 'it is given up; nothing is sent, and the lots stay as they are',
}

const choicesOf = (plan: string, op: string): ShownOperation['choices'] =>
  CHOICES.map(choice => ({
    choice,
    means: MEANS[choice],
    command: `tillage reconcile resolve ${plan} ${op} --as ${choice} --by NAME --reason TEXT`,
  }))

function showLine(
  line: PlanLine,
  { remembered: { operations, events }, isApproved: approved }: Seen,
): ShownLine {
  const operation = operations.find(({ op }) => op === line.op_id)
  const nothing = { qty_after: null, verified_at: null, discrepancy: null, error: null }
  if (operation === undefined) return { ...line, state: 'unchanged', ...nothing }
  const facts = factsOf(operation)
  const stale = facts.stale?.find(one => one.batch_id === line.batch_id)
  if (stale !== undefined) {
    const { quantity: now, why } = stale
    const moved = `the lot has ${now} and had ${line.qty_before} when it was planned`
    const error = `${why ?? moved}: count it again`
    return { ...line, state: 'stale', ...nothing, qty_after: now, error }
  }
  const discrepancy =
    facts.discrepancies?.find(one => one.batch_id === line.batch_id)?.discrepancy ?? null
  const seen = {
    qty_after: quantityOf(facts.after, line.batch_id) ?? null,
    verified_at: facts.verifiedAt ?? null,
    discrepancy,
  }
  const state = shown(operation.state, approved)
  const error = errorOf(operation, events)
  return { ...line, state, ...seen, error, ...endOf(line, seen) }
}

/** What its verification made of a line, where that is more than its operation says. */
function endOf(
  { qty_to_post: posted }: PlanLine,
  seen: Pick<ShownLine, 'qty_after' | 'discrepancy'>,
): Partial<Pick<ShownLine, 'state' | 'error'>> {
  if (isNotTaken(seen))
    return { state: 'rejected', error: 'the API took its room, and not this lot' }
  if (!isUnexplained(seen)) return {}
  const after = seen.qty_after ?? 'another quantity'
  return { error: `it has ${after} and was posted as ${posted}: look at it, and count it again` }
}

/** What the API left out of a room that it has taken, and what it made something else of. */
function describeLeft(operation: OutboundOperation): string | null {
  const discrepancies = factsOf(operation).discrepancies ?? []
  const named = (what: string, lots: typeof discrepancies): string[] =>
    lots.length === 0 ? [] : [`${what}: ${lots.map(({ batch_id }) => batch_id).join(', ')}`]
  const left = [
    ...named('not these lots', discrepancies.filter(isNotTaken)),
    ...named('nothing explains what these lots have now', discrepancies.filter(isUnexplained)),
  ]
  return left.length === 0 ? null : `the API took the room, and ${left.join('; ')}`
}

/** What there is to say of a line, for people. */
export const saidOf = ({ discrepancy, error }: ShownLine): string =>
  [discrepancy, error].filter(text => text !== null).join(': ')
