import { finalCount } from '../audit/counts.ts'
import type { Count, Counts } from '../audit/counts.ts'
import { movedBetween } from '../audit/movement.ts'
import type { Movement } from '../audit/movement.ts'
import { lotKey } from '../audit/quantities.ts'
import type { Quantities } from '../audit/quantities.ts'
import type { SnapshotLine } from '../audit/snapshot.ts'
import { fromIso } from '../calendar/days.ts'
import { amountText, magnitude, multiply, roundToCents, sum, toAmount } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import { nameKey } from '../outbound/approval.ts'
import type { Target } from '../outbound/target.ts'
import { writeNote } from './note.ts'

/** A line of a plan as people and their programs know it, without what changes later. */
export interface PlanLine {
  plan_id: string
  op_id: string | null
  line_id: string | null
  inventory_id: string
  room: string
  product_id: string
  product: string
  sku: string
  batch_id: string
  batch_sku: string
  package_tag: string
  unit: string
  qty_before: string
  counted: string
  counted_at: string
  movement_since_count: string
  qty_to_post: string
  delta: string
  /** At cost; null where the API does not say what the lot has cost. */
  value_delta: string | null
  reason_code: string
  note: string
  requires_second_approval: boolean
}

/** One room with its changed lines is one POST. */
export interface PlanOperation {
  op_id: string
  token: string
  inventory_id: string
  room: string
  /** Words and token, as it is sent. */
  note: string
}

/** The document that is hashed, approved and never changed. */
export interface PlanDocument {
  plan: string
  store: string
  /** Whom it is for: nothing is sent anywhere else. */
  target: Target
  audit: string
  createdAt: string
  isFull: boolean
  /** Every line of every room was counted. */
  isWhole: boolean
  isBlind: boolean
  employeeId: string | null
  requiredApprovals: 1 | 2
  /** Sum of |value_delta|. */
  value: string
  /** Of all amounts; absent from plans of before it was told. */
  currency?: string
  timeZone: string
  /** What was counted, as it came in; what it is held against; what says what moved. */
  evidence: {
    snapshot_sha256: string
    counts: { file: string; sha256: string }[]
    quantities_read_at: string
    transactions: { start: string; end: string; by: string }[]
  }
  /** Who counted what, for who may not approve: line or lot, and the people. */
  counters: { key: string; people: string[] }[]
  lines: PlanLine[]
  operations: PlanOperation[]
  uncounted: {
    line_id: string
    inventory_id: string
    room: string
    product: string
    batch_id: string
    batch_sku: string
    package_tag: string
  }[]
}

export interface PlanFacts {
  plan: string
  isFull: boolean
  audit: string
  counts: Counts
  roomNames: ReadonlyMap<string, string>
  quantities: Quantities
  movements: readonly Movement[]
  secondApproverOver: Amount
  newToken(): string
}

export const countRooms = (many: number): string => `${many} ${many === 1 ? 'room' : 'rooms'}`
export const countLines = (many: number): string => `${many} ${many === 1 ? 'line' : 'lines'}`

/**
 * The value of a plan, and how many lines that change are not in it, since nobody knows what their
 * lots have cost: `12.00 USD, and 1 line of unknown cost`.
 */
export function describeWorth({
  value,
  currency,
  lines,
}: Pick<PlanDocument, 'value' | 'currency' | 'lines'>): string {
  const worth = currency === undefined ? value : `${value} ${currency}`
  const unknown = lines.filter(isOfUnknownWorth).length
  return unknown === 0 ? worth : `${worth}, and ${countLines(unknown)} of unknown cost`
}

const isOfUnknownWorth = ({ delta, value_delta }: PlanLine): boolean =>
  delta !== '0' && value_delta === null

type Planned = Pick<
  PlanDocument,
  'lines' | 'operations' | 'requiredApprovals' | 'value' | 'counters' | 'uncounted'
>

/** What would be sent, and how much it is worth. Pure, but for the tokens. */
export function buildPlan(facts: PlanFacts): Planned {
  const drafts = facts.counts.counts.map(count => lineOf(facts, count))
  const values = drafts.map(({ value_delta: value }) => value)
  const value = sum(values.map(text => magnitude(toAmount(text ?? '0')!)))
  // What a lot has cost may be unknown: then nobody knows that one approver is enough.
  const isUnknown = drafts.some(isOfUnknownWorth)
  const requiredApprovals = isUnknown || value > facts.secondApproverOver ? 2 : 1
  const isSent = (line: PlanLine): boolean => facts.isFull || line.delta !== '0'
  const rooms = [...new Set(drafts.filter(isSent).map(line => line.inventory_id))]
  const opOf = new Map(rooms.map((room, at) => [room, `op-${at + 1}`]))
  const lines = drafts.map(line => ({
    ...line,
    op_id: isSent(line) ? opOf.get(line.inventory_id)! : null,
    requires_second_approval: requiredApprovals === 2 && isSent(line),
  }))
  return {
    lines,
    operations: rooms.map(room => operationOf(facts, room, opOf.get(room)!, lines)),
    requiredApprovals,
    value: amountText(value),
    counters: facts.counts.counts.map(({ inventoryId, lot, countedBy, recountedBy }) => ({
      key: lotKey(inventoryId, lot.batchId),
      people: [countedBy, recountedBy].filter(name => name !== ''),
    })),
    uncounted: facts.counts.uncounted.map(describeUncounted),
  }
}

function lineOf(facts: PlanFacts, count: Count): PlanLine {
  const { inventoryId, lot, lineId, countedAt, reasonCode, note } = count
  const key = lotKey(inventoryId, lot.batchId)
  const before = facts.quantities.get(key) ?? 0n
  const counted = finalCount(count)
  const movement = movedBetween(facts.movements, key, fromIso(countedAt))
  const toPost = counted + movement < 0n ? 0n : counted + movement
  const delta = toPost - before
  const cost = lot.unitCost === null ? undefined : toAmount(lot.unitCost)
  return {
    plan_id: facts.plan,
    op_id: null,
    line_id: lineId ?? null,
    inventory_id: inventoryId,
    room: facts.roomNames.get(inventoryId) ?? inventoryId,
    product_id: lot.productId,
    product: lot.product,
    sku: lot.sku,
    batch_id: lot.batchId,
    batch_sku: lot.batchSku,
    package_tag: lot.packageTag,
    unit: lot.unit,
    qty_before: amountText(before, 0),
    counted: amountText(counted, 0),
    counted_at: countedAt,
    movement_since_count: amountText(movement, 0),
    qty_to_post: amountText(toPost, 0),
    delta: amountText(delta, 0),
    value_delta: cost === undefined ? null : amountText(roundToCents(multiply(delta, cost))),
    reason_code: reasonCode,
    note,
    requires_second_approval: false,
  }
}

function operationOf(
  { audit, newToken }: PlanFacts,
  inventoryId: string,
  op: string,
  lines: readonly PlanLine[],
): PlanOperation {
  const mine = lines.filter(line => line.op_id === op)
  const token = newToken()
  const reasons = mine.map(({ reason_code: reason }) => reason)
  const notes = mine.map(({ note }) => note)
  return {
    op_id: op,
    token,
    inventory_id: inventoryId,
    room: mine[0]!.room,
    note: writeNote({ audit, reasons, notes, token }),
  }
}

const describeUncounted = (line: SnapshotLine): PlanDocument['uncounted'][number] => ({
  line_id: line.lineId,
  inventory_id: line.inventoryId,
  room: line.room,
  product: line.product,
  batch_id: line.batchId,
  batch_sku: line.batchSku,
  package_tag: line.packageTag,
})

/**
 * Who may not approve, and why: nobody allows what nobody else has seen. Lines that change nothing
 * do not count.
 */
export function barredApprovers({ counters, lines }: PlanDocument): Map<string, string> {
  const sent = new Map(
    lines
      .filter(({ op_id: op }) => op !== null)
      .map(line => [lotKey(line.inventory_id, line.batch_id), line]),
  )
  const barred = new Map<string, string>()
  for (const { key, people } of counters) {
    const line = sent.get(key)
    const names = new Set(people.map(nameKey))
    if (line === undefined || names.size !== 1) continue
    const why =
      `${people[0]} alone counted ${line.product}, lot ${line.batch_sku}, in ${line.room}: ` +
      'somebody else must approve it, or count it again'
    barred.set([...names][0]!, why)
  }
  return barred
}
