import type { CountProblem } from '../audit/count-problem.ts'
import type { Count } from '../audit/counts.ts'
import { findReason } from '../audit/reasons.ts'
import type { ReasonRules } from '../audit/reasons.ts'
import type { Snapshot, Unit } from '../audit/snapshot.ts'
import { fromIso, toIso } from '../calendar/days.ts'
import { toAmount } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import { nameKey } from '../outbound/approval.ts'
import { checkQuantity } from './check-cells.ts'
import { readCountTime } from './count-time.ts'
import type { CountRow } from './read-rows.ts'

export interface CountOrder {
  snapshot: Snapshot
  /** Problems that reading the files has found. */
  found: readonly CountProblem[]
  reasons: ReasonRules
  nowMs: number
}

/** How much, by whom and when, and why. */
type Said = Pick<
  Count,
  'counted' | 'recounted' | 'countedBy' | 'countedAt' | 'recountedBy' | 'reasonCode'
>

/** Reads what a row says of whatever it is about, and collects what is wrong with all rows. */
export class CellReader {
  readonly problems: CountProblem[]
  private readonly order: CountOrder
  /** Cells, and whole columns, that reading the file has found wrong: one problem is enough. */
  private readonly known: Set<string>

  constructor(order: CountOrder) {
    this.order = order
    this.problems = [...order.found]
    this.known = new Set(order.found.map(keyOf))
  }

  /** Undefined: something of it is wrong, and is among the problems. */
  read(row: CountRow, unit: Unit): Said | undefined {
    const { cells } = row
    const counted = this.quantity(row, 'counted_qty', unit)
    const who = this.counter(row)
    const isRecounted = cells.recount_qty !== ''
    const recounted = isRecounted ? this.quantity(row, 'recount_qty', unit) : undefined
    if (isRecounted) this.checkRecounter(row)
    const reasonCode = this.reason(row)
    if (counted === undefined || who === undefined) return undefined
    const recountedBy = isRecounted ? cells.recounted_by : ''
    return { counted, recounted, ...who, recountedBy, reasonCode }
  }

  blame(row: CountRow, column: string, code: string, message: string): void {
    const { file, sheet, row: number } = row
    const where = { file, ...(sheet === undefined ? {} : { sheet }), column }
    const isKnown = [number, HEADER].some(at => this.known.has(keyOf({ ...where, row: at })))
    if (!isKnown) this.problems.push({ ...where, row: number, code, message })
  }

  private quantity(
    row: CountRow,
    column: 'counted_qty' | 'recount_qty',
    unit: Unit,
  ): Amount | undefined {
    const text = row.cells[column]
    const problem = checkQuantity(text, unit)
    if (problem === undefined) return toAmount(text)
    this.blame(row, column, problem.code, problem.message)
    return undefined
  }

  private counter(row: CountRow): { countedBy: string; countedAt: string } | undefined {
    const { counted_by: countedBy, counted_at: time } = row.cells
    if (countedBy === '')
      this.blame(row, 'counted_by', 'COUNTED_BY_MISSING', 'who counted it? Once a sheet is enough')
    const { snapshot, nowMs } = this.order
    const { timeZone, startedAt } = snapshot
    const read = readCountTime(time, { timeZone, snapshotMs: fromIso(startedAt), nowMs })
    if ('code' in read) this.blame(row, 'counted_at', read.code, read.message)
    if (countedBy === '' || 'code' in read) return undefined
    return { countedBy, countedAt: toIso(read.ms) }
  }

  private checkRecounter(row: CountRow): void {
    const { counted_by: first, recounted_by: second } = row.cells
    if (second === '') this.blame(row, 'recounted_by', 'RECOUNTED_BY_MISSING', 'who counted again?')
    else if (nameKey(first) === nameKey(second))
      this.blame(row, 'recounted_by', 'RECOUNT_SAME_PERSON', 'another person must count again')
  }

  private reason(row: CountRow): string {
    const found = findReason(row.cells.reason_code, this.order.reasons)
    if ('reason' in found) return found.reason
    this.blame(row, 'reason_code', found.code, found.message)
    return ''
  }
}

/** The row of the header. */
const HEADER = 1

const keyOf = ({ file, sheet, row, column }: Omit<CountProblem, 'code' | 'message'>): string =>
  JSON.stringify([file, sheet, row, column])
