import { fromIso } from '../../calendar/days.ts'
import {
  amountText,
  magnitude,
  multiply,
  negate,
  ONE,
  roundToCents,
  sum,
  toAmount,
} from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { finalCount } from '../counts.ts'
import type { Count, Counts } from '../counts.ts'
import { movedBetween } from '../movement.ts'
import type { Movement } from '../movement.ts'
import { lotKey } from '../quantities.ts'
import type { ReconcileSettings } from '../settings.ts'
import type { Lot, Snapshot } from '../snapshot.ts'

/** A lot in a room, as expected and as counted. Undefined: nobody counted it. */
export interface AuditLine {
  lineId: string
  inventoryId: string
  room: string
  roomType: string
  lot: Lot
  expected: Amount
  committed: string
  count: Count | undefined
  /** What moved between the snapshot and the count; undefined: that could not be proven. */
  movement: Amount | undefined
  adjusted: Amount | undefined
  variance: Amount | undefined
  varianceCost: Amount | undefined
  varianceRetail: Amount | undefined
  tolerance: Amount
  isInTolerance: boolean | undefined
}

export interface LineFacts {
  snapshot: Snapshot
  counts: Counts
  /** Undefined: what moved could not be proven. */
  movements: readonly Movement[] | undefined
  settings: ReconcileSettings
}

/** Every line of the sheets, in their order, and behind them lots that were found elsewhere. */
export function auditLines(facts: LineFacts): AuditLine[] {
  const { snapshot, counts } = facts
  const byLine = new Map(counts.counts.map(count => [count.lineId, count]))
  const onSheets = snapshot.lines.map(line =>
    lineOf(facts, {
      lineId: line.lineId,
      inventoryId: line.inventoryId,
      lot: line,
      expected: toAmount(line.expected)!,
      committed: line.committed ?? '',
      count: byLine.get(line.lineId),
    }),
  )
  const found = counts.counts
    .filter(({ lineId }) => lineId === undefined)
    .map(count => {
      const { inventoryId, lot } = count
      return lineOf(facts, { lineId: '', inventoryId, lot, expected: 0n, committed: '', count })
    })
  return [...onSheets, ...found]
}

type Known = Pick<AuditLine, 'lineId' | 'inventoryId' | 'lot' | 'expected' | 'committed' | 'count'>

function lineOf(facts: LineFacts, known: Known): AuditLine {
  const { inventoryId, lot, expected, count } = known
  const room = facts.snapshot.rooms.find(({ id }) => id === inventoryId)
  const place = { room: room?.name ?? inventoryId, roomType: room?.type ?? '' }
  const movement = movedUntil(facts, lotKey(inventoryId, lot.batchId), count)
  if (count === undefined || movement === undefined)
    return {
      ...known,
      ...place,
      ...UNKNOWN,
      tolerance: toleranceOf(lot, expected, facts.settings),
    }
  const adjusted = expected + movement
  const variance = finalCount(count) - adjusted
  const tolerance = toleranceOf(lot, adjusted, facts.settings)
  return {
    ...known,
    ...place,
    movement,
    adjusted,
    variance,
    varianceCost: valueOf(variance, lot.unitCost),
    varianceRetail: valueOf(variance, lot.retailPrice),
    tolerance,
    isInTolerance: magnitude(variance) <= tolerance,
  }
}

/** Where nobody counted, or nobody knows what moved: what is missing may have been sold. */
const UNKNOWN = {
  movement: undefined,
  adjusted: undefined,
  variance: undefined,
  varianceCost: undefined,
  varianceRetail: undefined,
  isInTolerance: undefined,
}

const movedUntil = (
  { snapshot, movements }: LineFacts,
  key: string,
  count: Count | undefined,
): Amount | undefined =>
  count === undefined || movements === undefined
    ? undefined
    : movedBetween(movements, key, fromIso(snapshot.endedAt), fromIso(count.countedAt))

function toleranceOf(lot: Lot, expected: Amount, { tolerances }: ReconcileSettings): Amount {
  const { eachQty, gramPercent } = tolerances
  if (lot.unit === 'EACH') return toAmount(eachQty)!
  return multiply(magnitude(expected), toAmount(gramPercent)! / 100n)
}

function valueOf(variance: Amount | undefined, price: string | null): Amount | undefined {
  const each = price === null ? undefined : toAmount(price)
  return variance === undefined || each === undefined
    ? undefined
    : roundToCents(multiply(variance, each))
}

/** What a difference is valued at. */
export type Basis = 'cost' | 'retail'

/** What a difference is worth; undefined where there may be one and nobody knows its price. */
export function worthOf(line: AuditLine, basis: Basis): Amount | undefined {
  if (line.variance === 0n) return 0n
  return basis === 'cost' ? line.varianceCost : line.varianceRetail
}

/** Undefined where one of them is: unknown is not 0. */
export function totalOf(amounts: readonly (Amount | undefined)[]): Amount | undefined {
  const known = amounts.filter(amount => amount !== undefined)
  return known.length === amounts.length ? sum(known) : undefined
}

/** In percent of what was expected, to two places; nothing where nothing was expected. */
export function percentOf(part: Amount | undefined, whole: Amount | undefined): string {
  if (part === undefined || whole === undefined || whole === 0n) return ''
  const percent = (magnitude(part) * 100n * ONE) / magnitude(whole)
  return amountText(roundToCents(part < 0n ? negate(percent) : percent))
}

export const amountCell = (amount: Amount | undefined, places = 0): string =>
  amount === undefined ? '' : amountText(amount, places)
