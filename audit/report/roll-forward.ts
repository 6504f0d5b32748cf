import { fromIso } from '../../calendar/days.ts'
import { magnitude, sum, toAmount } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { textOf } from '../../text/record-fields.ts'
import type { Fields } from '../../text/record-fields.ts'
import type { Movement } from '../movement.ts'
import { lotKey, roomAndLot } from '../quantities.ts'
import { reconciledLots } from '../reconciled-lots.ts'
import type { ReconciledLot } from '../reconciled-lots.ts'
import type { Lot, Snapshot } from '../snapshot.ts'
import { amountCell } from './lines.ts'
import { number, text } from './table.ts'
import type { AuditTable } from './table.ts'

export interface RollForwardFacts {
  /** Of the store, before this one; undefined: there is none. */
  previous: Snapshot | undefined
  snapshot: Snapshot
  /** Undefined: what moved could not be proven. */
  movements: readonly Movement[] | undefined
  /** The history of reconciliations, as far as it may be read. */
  reconciliations: readonly Fields[]
  /** What our own replaced, by their receipts: the history need not say it. */
  replaced: Replaced
}

/** By the id of a reconciliation: what its lots had right before, by their ids. */
export type Replaced = ReadonlyMap<string, ReadonlyMap<string, string>>

const COLUMNS = [
  text('audit_id'),
  text('inventory_id'),
  text('room'),
  text('product_id'),
  text('batch_id'),
  number('begin_qty'),
  number('received'),
  number('transfers_in'),
  number('transfers_out'),
  number('sold'),
  number('returned'),
  number('adjusted'),
  number('disposed'),
  number('unexplained'),
  number('expected_qty'),
]

/**
 * From the snapshot before to this one: what is not explained by receipts, transfers, sales,
 * returns and reconciliations is said to be unexplained, so that each row adds up.
 */
export function rollForward(facts: RollForwardFacts): AuditTable {
  return {
    dataset: 'inventory_audit_roll_forward',
    title: 'Roll-forward',
    columns: COLUMNS,
    rows:
      facts.previous === undefined || facts.movements === undefined
        ? []
        : rowsOf(facts, facts.previous, facts.movements),
  }
}

function rowsOf(
  facts: RollForwardFacts,
  previous: Snapshot,
  movements: readonly Movement[],
): string[][] {
  const span = spanOf(facts, previous, movements)
  const rooms = new Set(facts.snapshot.rooms.map(({ id }) => id))
  return span.keys
    .filter(key => rooms.has(roomAndLot(key).inventoryId))
    .map(key => rowOf(span, key))
}

/** What happened between the two snapshots, by lots and rooms. */
interface Span extends RollForwardFacts {
  fromMs: number
  toMs: number
  before: Map<string, Amount>
  now: Map<string, Amount>
  byKey: Map<string, Movement[]>
  reconciled: Map<string, ReconciledLot[]>
  /** Where a lot lay or was moved: one that came and was sold out in between as well. */
  keys: string[]
  /** What is known of each lot, by its id, and whether it was known at the snapshot before. */
  lots: Map<string, Lot>
  isOld: Set<string>
  /** By lot: where it is not from another room. */
  entries: Map<string, string[]>
}

function spanOf(facts: RollForwardFacts, previous: Snapshot, movements: readonly Movement[]): Span {
  const { snapshot } = facts
  const [fromMs, toMs] = [fromIso(previous.endedAt), fromIso(snapshot.endedAt)]
  const [before, now] = [expectedOf(previous), expectedOf(snapshot)]
  const within = movements.filter(({ atMs }) => atMs > fromMs && atMs <= toMs)
  const keys = [...new Set([...before.keys(), ...now.keys(), ...within.map(({ key }) => key)])]
  const carriedTo = new Set(
    within.filter(({ kind }) => kind === 'transfers_in').map(({ key }) => key),
  )
  const old = [...previous.otherLots, ...previous.lines]
  const lots = [...old, ...snapshot.otherLots, ...snapshot.lines]
  return {
    ...facts,
    fromMs,
    toMs,
    before,
    now,
    byKey: Map.groupBy(within, ({ key }) => key),
    reconciled: Map.groupBy(reconciledLots(facts.reconciliations), ({ key }) => key),
    keys,
    lots: new Map(lots.map((lot): [string, Lot] => [lot.batchId, lot])),
    isOld: new Set(old.map(({ batchId }) => batchId)),
    entries: Map.groupBy(
      keys.filter(key => !carriedTo.has(key)),
      key => roomAndLot(key).batchId,
    ),
  }
}

const expectedOf = ({ lines }: Snapshot): Map<string, Amount> =>
  new Map(
    lines.map(line => [lotKey(line.inventoryId, line.batchId), toAmount(line.expected) ?? 0n]),
  )

function rowOf(span: Span, key: string): string[] {
  const { inventoryId, batchId } = roomAndLot(key)
  const begin = span.before.get(key) ?? 0n
  const expected = span.now.get(key) ?? 0n
  const parts = partsOf(span, key)
  const { received, transfersIn, transfersOut, sold, returned, adjusted, disposed } = parts
  const explained =
    begin + received + transfersIn - transfersOut - sold + returned + adjusted - disposed
  return [
    span.snapshot.audit,
    inventoryId,
    span.snapshot.rooms.find(({ id }) => id === inventoryId)?.name ?? '',
    span.lots.get(batchId)?.productId ?? '',
    batchId,
    amountCell(begin),
    ...Object.values(parts).map(part => amountCell(part)),
    amountCell(expected - explained),
    amountCell(expected),
  ]
}

type Parts = Record<
  'received' | 'transfersIn' | 'transfersOut' | 'sold' | 'returned' | 'adjusted' | 'disposed',
  Amount
>

/** In the order of the columns. */
function partsOf(span: Span, key: string): Parts {
  const moved = (kind: Movement['kind']): Amount =>
    sum(
      (span.byKey.get(key) ?? [])
        .filter(one => one.kind === kind)
        .map(({ amount }) => magnitude(amount)),
    )
  return {
    received: receivedOf(span, key),
    transfersIn: moved('transfers_in'),
    transfersOut: moved('transfers_out'),
    sold: moved('sold'),
    returned: moved('returned'),
    ...reconciledOf(span, key),
  }
}

/**
 * A lot that came after the snapshot before: where only one of its rooms had it from no other room,
 * it came in there. A snapshot of some rooms cannot tell: part of the delivery may lie in others.
 */
function receivedOf(span: Span, key: string): Amount {
  const { batchId } = roomAndLot(key)
  const [entry, ...others] = span.entries.get(batchId) ?? []
  if (span.snapshot.isPartial || entry !== key || others.length > 0) return 0n
  return isNew(span, batchId) ? (toAmount(span.lots.get(batchId)?.receivedQty) ?? 0n) : 0n
}

function isNew({ isOld, lots, fromMs }: Span, batchId: string): boolean {
  const receivedAt = lots.get(batchId)?.receivedAt ?? null
  return !isOld.has(batchId) && receivedAt !== null && fromIso(receivedAt) > fromMs
}

/** Reasons of the state's list under which goods are destroyed, however a state words them. */
const DISPOSAL = /waste|dispos|destr/i

/** Reported as a loss, or with a reason that says so. */
const isDisposal = (record: Fields): boolean =>
  record['reportLoss'] === true || DISPOSAL.test(textOf(record['complianceReason']) ?? '')

/**
 * What reconciliations have changed, as far as the history says what they replaced. What was
 * reported as a loss is disposed of; everything else is an adjustment.
 */
function reconciledOf(
  { reconciled, replaced, fromMs, toMs }: Span,
  key: string,
): Pick<Parts, 'adjusted' | 'disposed'> {
  const parts = { adjusted: 0n, disposed: 0n }
  for (const [record, lots] of Map.groupBy(reconciled.get(key) ?? [], one => one.record)) {
    const atMs = lots[0]!.atMs ?? 0
    if (atMs <= fromMs || atMs > toMs) continue
    const ofOurs = replaced.get(textOf(record['id']) ?? '')
    const change = sum(lots.map(lot => changeOf(lot, ofOurs)))
    if (change < 0n && isDisposal(record)) parts.disposed -= change
    else parts.adjusted += change
  }
  return parts
}

/** Nothing where nobody says what was there before. */
function changeOf(
  { key, before, after }: ReconciledLot,
  ofOurs: ReadonlyMap<string, string> | undefined,
): Amount {
  const from = before ?? toAmount(ofOurs?.get(roomAndLot(key).batchId))
  return from === undefined || after === undefined ? 0n : after - from
}
