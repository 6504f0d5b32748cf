import { lotKey } from '../audit/quantities.ts'
import type { Lot, Snapshot, SnapshotLine } from '../audit/snapshot.ts'
import { fromIso } from '../calendar/days.ts'
import { toAmount } from '../exports/books/amount.ts'
import type { Amount } from '../exports/books/amount.ts'
import { nameKey } from '../outbound/approval.ts'
import { checkQuantity, checkTime } from './check-cells.ts'
import { CountsError } from './count-problem.ts'
import type { CountProblem } from './count-problem.ts'
import type { Count, Counts, UntaggedFind } from './counts.ts'
import { findLot } from './find-lot.ts'
import type { CountRow } from './read-rows.ts'

/**
 * What files of counts say of a snapshot. Throws a CountsError with every problem there is, those
 * that reading the files has found included.
 */
export function readCounts(
  snapshot: Snapshot,
  rows: readonly CountRow[],
  found: readonly CountProblem[],
  nowMs: number,
): Counts {
  const reader = new CountReader(snapshot, nowMs, found)
  for (const row of rows) reader.take(row)
  if (reader.problems.length > 0) throw new CountsError(reader.problems)
  const counted = new Set(reader.counts.map(({ lineId }) => lineId))
  return {
    counts: reader.counts,
    untagged: reader.untagged,
    uncounted: snapshot.lines.filter(({ lineId }) => !counted.has(lineId)),
  }
}

/**
 * A text without what no file keeps: blanks around it, and characters that have no place in one.
 */
const asPrinted = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '').trim()

/** Row by row, remembering what was counted already. */
class CountReader {
  readonly counts: Count[] = []
  readonly untagged: UntaggedFind[] = []
  readonly problems: CountProblem[]
  private readonly snapshot: Snapshot
  private readonly nowMs: number
  private readonly lines: Map<string, SnapshotLine>
  private readonly byTag: Map<string, Lot>
  private readonly lots: readonly Lot[]
  private readonly products: Map<string, Lot>
  private readonly taken = new Map<string, CountRow>()
  private readonly scanned = new Map<string, { row: CountRow; lot: Lot }>()
  /** Cells that reading the file has found wrong: one problem each is enough. */
  private readonly known: Set<string>

  constructor(snapshot: Snapshot, nowMs: number, found: readonly CountProblem[]) {
    this.snapshot = snapshot
    this.nowMs = nowMs
    this.problems = [...found]
    this.known = new Set(found.map(keyOf))
    const lots: Lot[] = [...snapshot.lines, ...snapshot.otherLots]
    this.lots = lots
    this.lines = new Map(snapshot.lines.map(line => [line.lineId, line]))
    this.byTag = new Map(
      lots.filter(lot => lot.packageTag !== '').map(lot => [lot.packageTag, lot]),
    )
    this.products = new Map(lots.filter(lot => lot.sku !== '').map(lot => [lot.sku, lot]))
  }

  take(row: CountRow): void {
    const { cells } = row
    if (cells.sheet_id !== this.snapshot.sheet)
      return this.blame(row, 'sheet_id', 'SHEET_UNKNOWN', `is not ${this.snapshot.sheet}`)
    if (cells.line_id === '') return this.takeFound(row)
    const line = this.lines.get(cells.line_id)
    if (line === undefined)
      return this.blame(row, 'line_id', 'LINE_UNKNOWN', `there is no line ${cells.line_id}`)
    this.checkPrinted(row, line)
    if (cells.counted_qty === '') return this.takeUncounted(row)
    const other = this.taken.get(line.lineId)
    if (other !== undefined)
      return this.blame(row, 'line_id', 'LINE_TWICE', `counted in ${place(other)} already`)
    this.taken.set(line.lineId, row)
    this.checkScan(row, line)
    this.add(row, line, line.inventoryId, line.lineId)
  }

  /** Blank is not counted; a recount of nothing is a mistake. */
  private takeUncounted(row: CountRow): void {
    if (row.cells.recount_qty !== '')
      this.blame(row, 'recount_qty', 'RECOUNT_ALONE', 'a recount without a count')
  }

  /** What the sheet has printed must still be so: a row that slipped is another lot's count. */
  private checkPrinted({ cells, ...row }: CountRow, line: SnapshotLine): void {
    const printed = [
      ['inventory_id', line.inventoryId, 'LINE_CHANGED'],
      ['sku', line.sku, 'LINE_CHANGED'],
      ['package_tag', line.packageTag, 'LINE_CHANGED'],
      ['batch_sku', line.batchSku, 'LINE_CHANGED'],
      ['unit', line.unit, 'UNIT_WRONG'],
    ] as const
    for (const [column, is, code] of printed)
      if (asPrinted(cells[column]) !== asPrinted(is))
        this.blame(
          { cells, ...row },
          column,
          code,
          `is ${JSON.stringify(cells[column])}; ` +
            `line ${line.lineId} of the sheet says ${JSON.stringify(is)}`,
        )
  }

  /** A lot may lie in two rooms, so its tag may be scanned in each; two lots do not share one. */
  private checkScan(row: CountRow, lot: Lot): void {
    const tag = row.cells.scanned_tag
    if (tag === '') return
    const other = this.scanned.get(tag)
    if (other !== undefined && other.lot.batchId !== lot.batchId)
      return this.blame(row, 'scanned_tag', 'TAG_TWICE', `was scanned in ${place(other.row)}, too`)
    this.scanned.set(tag, { row, lot })
    if (tag === lot.packageTag) return
    const belongs = this.byTag.get(tag)
    if (belongs === undefined)
      this.blame(row, 'scanned_tag', 'TAG_UNKNOWN', `no lot has the tag ${tag}`)
    else
      this.blame(
        row,
        'scanned_tag',
        'TAG_OTHER_LOT',
        `is the tag of ${belongs.product}, lot ${belongs.batchSku}`,
      )
  }

  /** Found where none should be: a lot by its tag or its number, or a product without a tag. */
  private takeFound(row: CountRow): void {
    const { cells } = row
    const inventoryId = this.roomOf(row)
    if (cells.counted_qty === '')
      return this.blame(row, 'counted_qty', 'QTY_MISSING', 'how much was found?')
    if (inventoryId === undefined) return
    if (tagOf(row) === '' && cells.batch_sku === '') return this.takeUntagged(row, inventoryId)
    const lot = this.foundLot(row)
    if (lot === undefined) return
    const key = lotKey(inventoryId, lot.batchId)
    const line = this.lineOf(key)
    if (line !== undefined)
      return this.blame(row, 'line_id', 'LINE_EXISTS', `this is line ${line}: count it there`)
    const other = this.taken.get(key)
    if (other !== undefined)
      return this.blame(row, 'line_id', 'LINE_TWICE', `counted in ${place(other)} already`)
    this.taken.set(key, row)
    this.checkUnit(row, lot)
    this.add(row, lot, inventoryId, undefined)
  }

  private foundLot(row: CountRow): Lot | undefined {
    const found = findLot(this.lots, row)
    if ('batchId' in found) return found
    this.blame(row, found.column, found.code, found.message)
    return undefined
  }

  private lineOf(key: string): string | undefined {
    return this.snapshot.lines.find(line => lotKey(line.inventoryId, line.batchId) === key)?.lineId
  }

  private takeUntagged(row: CountRow, inventoryId: string): void {
    const { sku, reason_code: reasonCode, note } = row.cells
    const product = this.products.get(sku)
    if (product === undefined)
      return this.blame(row, 'sku', 'SKU_UNKNOWN', `no product has the SKU ${JSON.stringify(sku)}`)
    this.checkUnit(row, product)
    const counted = this.quantity(row, 'counted_qty', product)
    const who = this.counter(row)
    if (counted === undefined || who === undefined) return
    this.untagged.push({
      inventoryId,
      sku,
      product: product.product,
      counted,
      ...who,
      reasonCode,
      note,
    })
  }

  private checkUnit(row: CountRow, { unit }: Lot): void {
    const said = row.cells.unit
    if (said !== '' && said !== unit)
      this.blame(row, 'unit', 'UNIT_WRONG', `is ${said}; this product is counted in ${unit}`)
  }

  private roomOf(row: CountRow): string | undefined {
    const { inventory_id: id, room: name } = row.cells
    const room = this.snapshot.rooms.find(
      one => one.id === id || (id === '' && nameKey(one.name) === nameKey(name)),
    )
    if (room === undefined)
      this.blame(row, 'inventory_id', 'ROOM_UNKNOWN', `there is no such room in this audit`)
    return room?.id
  }

  private add(row: CountRow, lot: Lot, inventoryId: string, lineId: string | undefined): void {
    const counted = this.quantity(row, 'counted_qty', lot)
    const who = this.counter(row)
    const { cells } = row
    const isRecounted = cells.recount_qty !== ''
    const recounted = isRecounted ? this.quantity(row, 'recount_qty', lot) : undefined
    if (isRecounted) this.checkRecounter(row)
    if (counted === undefined || who === undefined) return
    this.counts.push({
      lineId,
      inventoryId,
      lot,
      counted,
      recounted,
      ...who,
      recountedBy: isRecounted ? cells.recounted_by : '',
      scannedTag: cells.scanned_tag,
      reasonCode: cells.reason_code,
      note: cells.note,
    })
  }

  private checkRecounter(row: CountRow): void {
    const { counted_by: first, recounted_by: second } = row.cells
    if (second === '') this.blame(row, 'recounted_by', 'RECOUNTED_BY_MISSING', 'who counted again?')
    else if (nameKey(first) === nameKey(second))
      this.blame(row, 'recounted_by', 'RECOUNT_SAME_PERSON', 'another person must count again')
  }

  private quantity(
    row: CountRow,
    column: 'counted_qty' | 'recount_qty',
    { unit }: Lot,
  ): Amount | undefined {
    const text = row.cells[column]
    const problem = checkQuantity(text, unit)
    if (problem === undefined) return toAmount(text)
    this.blame(row, column, problem.code, problem.message)
    return undefined
  }

  private counter(row: CountRow): { countedBy: string; countedAt: string } | undefined {
    const { counted_by: countedBy, counted_at: time } = row.cells
    if (countedBy === '') this.blame(row, 'counted_by', 'COUNTED_BY_MISSING', 'who counted it?')
    const problem = checkTime(time, fromIso(this.snapshot.startedAt), this.nowMs)
    if (problem !== undefined) this.blame(row, 'counted_at', problem.code, problem.message)
    if (countedBy === '' || problem !== undefined) return undefined
    return { countedBy, countedAt: new Date(time).toISOString() }
  }

  private blame(row: CountRow, column: string, code: string, message: string): void {
    const { file, sheet } = row
    const problem = {
      file,
      ...(sheet === undefined ? {} : { sheet }),
      row: row.row,
      column,
      code,
      message,
    }
    if (!this.known.has(keyOf(problem))) this.problems.push(problem)
  }
}

const keyOf = ({ file, sheet, row, column }: CountProblem): string =>
  JSON.stringify([file, sheet, row, column])

const place = ({ file, sheet, row }: CountRow): string =>
  `${file}${sheet === undefined ? '' : `, ${sheet}`} row ${row}`

const tagOf = ({ cells }: CountRow): string => cells.scanned_tag || cells.package_tag
