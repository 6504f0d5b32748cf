import { fromIso } from '../../calendar/days.ts'
import { magnitude, sum, toAmount } from '../../exports/books/amount.ts'
import type { Amount } from '../../exports/books/amount.ts'
import { fieldsOf, listOf, textOf, timeOf } from '../../exports/books/record.ts'
import type { Fields } from '../../exports/books/record.ts'
import type { Movement } from '../../reconcile/movement.ts'
import { lotKey, roomAndLot } from '../quantities.ts'
import type { Snapshot, SnapshotLine } from '../snapshot.ts'
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
  const { snapshot } = facts
  const rooms = new Set(snapshot.rooms.map(({ id }) => id))
  const span: Span = {
    ...facts,
    previous,
    before: expectedOf(previous),
    now: expectedOf(snapshot),
    fromMs: fromIso(previous.endedAt),
    toMs: fromIso(snapshot.endedAt),
    byKey: Map.groupBy(movements, ({ key }) => key),
    known: new Map(
      [...previous.lines, ...snapshot.lines].map(line => [
        lotKey(line.inventoryId, line.batchId),
        line,
      ]),
    ),
  }
  return [...new Set([...span.before.keys(), ...span.now.keys()])]
    .filter(key => rooms.has(roomAndLot(key).inventoryId))
    .map(key => rowOf(span, key))
}

interface Span extends RollForwardFacts {
  previous: Snapshot
  before: Map<string, Amount>
  now: Map<string, Amount>
  fromMs: number
  toMs: number
  byKey: Map<string, Movement[]>
  known: Map<string, SnapshotLine>
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
  const line = span.known.get(key)
  return [
    span.snapshot.audit,
    inventoryId,
    line?.room ?? '',
    line?.productId ?? '',
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
  const { snapshot, previous, fromMs, toMs, byKey } = span
  const moved = (kind: Movement['kind']): Amount =>
    sum(
      (byKey.get(key) ?? [])
        .filter(one => one.kind === kind && one.atMs > fromMs && one.atMs <= toMs)
        .map(({ amount }) => magnitude(amount)),
    )
  return {
    received: receivedOf(snapshot, previous, key),
    transfersIn: moved('transfers_in'),
    transfersOut: moved('transfers_out'),
    sold: moved('sold'),
    returned: moved('returned'),
    ...reconciledOf(span, key),
  }
}

/**
 * A lot that came after the snapshot before, where it lies in one room alone: that is where. A
 * snapshot of some rooms cannot tell: part of the delivery may lie in the others.
 */
function receivedOf(snapshot: Snapshot, previous: Snapshot, key: string): Amount {
  if (snapshot.isPartial) return 0n
  const { batchId } = roomAndLot(key)
  const here = snapshot.lines.filter(line => line.batchId === batchId)
  const [lot] = here
  const isNew = ![...previous.lines, ...previous.otherLots].some(one => one.batchId === batchId)
  if (!isNew || lot === undefined || here.length !== 1 || lot.receivedQty === null) return 0n
  const came = lot.receivedAt !== null && fromIso(lot.receivedAt) > fromIso(previous.endedAt)
  return came ? (toAmount(lot.receivedQty) ?? 0n) : 0n
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
  { reconciliations, replaced, fromMs, toMs }: Span,
  key: string,
): Pick<Parts, 'adjusted' | 'disposed'> {
  const parts = { adjusted: 0n, disposed: 0n }
  for (const record of reconciliations) {
    const atMs = timeOf(record['created']) ?? timeOf(record['modified']) ?? 0
    if (atMs <= fromMs || atMs > toMs) continue
    const change = changeOf(record, key, replaced.get(textOf(record['id']) ?? ''))
    if (change < 0n && isDisposal(record)) parts.disposed -= change
    else parts.adjusted += change
  }
  return parts
}

/** Nothing where nobody says what was there before. */
function changeOf(
  record: Fields,
  key: string,
  before: ReadonlyMap<string, string> | undefined,
): Amount {
  const { inventoryId, batchId } = roomAndLot(key)
  const mine = listOf(record['reconciliations'])
    .map(fieldsOf)
    .filter(line => textOf(line['batchId']) === batchId)
    .filter(line => (textOf(line['inventoryId']) ?? textOf(record['inventoryId'])) === inventoryId)
  return sum(
    mine.map(line => {
      const [old, now] = [toAmount(line['oldQuantity']), toAmount(line['newQuantity'])]
      const from = old ?? toAmount(before?.get(batchId))
      return from === undefined || now === undefined ? 0n : now - from
    }),
  )
}
