import { CountsError } from '../audit/count-problem.ts'
import { sheetNames } from '../audit/count-sheet.ts'
import type { Count, Counts, Find } from '../audit/counts.ts'
import { lotKey } from '../audit/quantities.ts'
import type { Lot, Snapshot, SnapshotLine } from '../audit/snapshot.ts'
import { nameKey } from '../outbound/approval.ts'
import { findLot } from './find-lot.ts'
import { fillOnceASheet } from './once-a-sheet.ts'
import { CellReader } from './read-cells.ts'
import type { CountOrder } from './read-cells.ts'
import type { CountRow } from './read-rows.ts'

/**
 * What files of counts say of a snapshot. Throws a CountsError with every problem there is, those
 * that reading the files has found included.
 */
export function readCounts(order: CountOrder, rows: readonly CountRow[]): Counts {
  const reader = new CountReader(order)
  for (const row of fillOnceASheet(rows)) reader.take(row)
  const { problems } = reader.cells
  if (problems.length > 0) throw new CountsError(problems)
  const counted = new Set(reader.counts.map(({ lineId }) => lineId))
  return {
    counts: reader.counts,
    finds: reader.finds,
    uncounted: order.snapshot.lines.filter(({ lineId }) => !counted.has(lineId)),
  }
}

/**
 * A text without what no file keeps: blanks around it, and characters that have no place in one.
 */
const asPrinted = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '').trim()

/** A worksheet bears the name of its room as far as Excel takes it, or people gave it another. */
function roomOfWorksheet(
  rooms: Snapshot['rooms'],
  sheet: string | undefined,
): Snapshot['rooms'][number] | undefined {
  if (sheet === undefined) return undefined
  const at = sheetNames(rooms.map(({ name }) => name)).findIndex(
    name => nameKey(name) === nameKey(sheet),
  )
  return rooms[at] ?? rooms.find(({ name }) => nameKey(name) === nameKey(sheet))
}

/**
 * Row by row, remembering what was counted already. Where it is not clear what a row is about, what
 * else is wrong with it is told all the same.
 */
class CountReader {
  readonly counts: Count[] = []
  readonly finds: Find[] = []
  readonly cells: CellReader
  private readonly snapshot: Snapshot
  private readonly lines: Map<string, SnapshotLine>
  private readonly byTag: Map<string, Lot>
  private readonly lots: readonly Lot[]
  private readonly products: Map<string, Lot>
  private readonly taken = new Map<string, CountRow>()
  private readonly scanned = new Map<string, { row: CountRow; lot: Lot }>()

  constructor(order: CountOrder) {
    const { snapshot } = order
    this.snapshot = snapshot
    this.cells = new CellReader(order)
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
      return this.refuse(row, 'sheet_id', 'SHEET_UNKNOWN', `is not ${this.snapshot.sheet}`)
    if (cells.line_id === '') return this.takeFound(row)
    const line = this.lines.get(cells.line_id)
    if (line === undefined)
      return this.refuse(row, 'line_id', 'LINE_UNKNOWN', `there is no line ${cells.line_id}`)
    this.checkPrinted(row, line)
    if (cells.counted_qty === '') return this.takeUncounted(row)
    if (this.isTaken(row, line.lineId)) return this.checkRest(row)
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
      return this.blame(row, 'scanned_tag', 'TAG_TWICE', `was also scanned in ${place(other.row)}`)
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
    if (inventoryId === undefined) return this.checkRest(row)
    const isNoLot = tagOf(row) === '' ? cells.batch_sku === '' : !this.byTag.has(tagOf(row))
    if (isNoLot) return this.takeFind(row, inventoryId)
    const lot = this.foundLot(row)
    if (lot === undefined) return this.checkRest(row)
    const key = lotKey(inventoryId, lot.batchId)
    const line = this.lineOf(key)
    if (line !== undefined)
      return this.refuse(row, 'line_id', 'LINE_EXISTS', `this is line ${line}: count it there`)
    if (this.isTaken(row, key)) return this.checkRest(row)
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

  /** What has a tag may be of a product that the till does not know either. */
  private takeFind(row: CountRow, inventoryId: string): void {
    const { sku } = row.cells
    const tag = tagOf(row)
    const product = this.products.get(sku)
    if (product === undefined && tag === '')
      return this.refuse(row, 'sku', 'SKU_UNKNOWN', `no product has the SKU ${JSON.stringify(sku)}`)
    if (tag !== '' && this.isTaken(row, `${inventoryId} ${tag}`)) return this.checkRest(row)
    if (product !== undefined) this.checkUnit(row, product)
    this.addFind(row, inventoryId, product)
  }

  private addFind(row: CountRow, inventoryId: string, known: Lot | undefined): void {
    const { sku, product: written, unit, note } = row.cells
    const isPieces = (known?.unit ?? unit) === 'EACH'
    const said = this.cells.read(row, isPieces ? 'EACH' : 'GRAM')
    if (said === undefined) return
    const { counted, countedBy, countedAt, reasonCode } = said
    const product = known?.product ?? (written || 'an unknown product')
    const who = { countedBy, countedAt }
    this.finds.push({
      inventoryId,
      tag: tagOf(row),
      sku,
      product,
      counted,
      ...who,
      reasonCode,
      note,
    })
  }

  /** The same thing in two rows is a mistake, and not twice as much. */
  private isTaken(row: CountRow, key: string): boolean {
    const other = this.taken.get(key)
    if (other === undefined) this.taken.set(key, row)
    else this.blame(row, 'line_id', 'LINE_TWICE', `counted in ${place(other)} already`)
    return other !== undefined
  }

  private checkUnit(row: CountRow, { unit }: Lot): void {
    const said = row.cells.unit
    if (said !== '' && said !== unit)
      this.blame(row, 'unit', 'UNIT_WRONG', `is ${said}; this product is counted in ${unit}`)
  }

  /** Where nothing else says it, that of the worksheet. */
  private roomOf(row: CountRow): string | undefined {
    const { inventory_id: id, room: name } = row.cells
    const { rooms } = this.snapshot
    const room =
      id === '' && name === ''
        ? roomOfWorksheet(rooms, row.sheet)
        : rooms.find(one => one.id === id || (id === '' && nameKey(one.name) === nameKey(name)))
    if (room === undefined)
      this.blame(row, 'inventory_id', 'ROOM_UNKNOWN', `there is no such room in this audit`)
    return room?.id
  }

  private add(row: CountRow, lot: Lot, inventoryId: string, lineId: string | undefined): void {
    if (lot.productId === '') return this.refuse(row, 'counted_qty', 'PRODUCT_UNKNOWN', NO_PRODUCT)
    const said = this.cells.read(row, lot.unit)
    if (said === undefined) return
    const { scanned_tag: scannedTag, note } = row.cells
    this.counts.push({ lineId, inventoryId, lot, ...said, scannedTag, note })
  }

  private blame(row: CountRow, column: string, code: string, message: string): void {
    this.cells.blame(row, column, code, message)
  }

  private refuse(row: CountRow, column: string, code: string, message: string): void {
    this.blame(row, column, code, message)
    this.checkRest(row)
  }

  /** Of a row that counts nowhere. */
  private checkRest(row: CountRow): void {
    const { counted_qty: quantity, unit } = row.cells
    if (quantity !== '') this.cells.read(row, unit === 'EACH' ? 'EACH' : 'GRAM')
  }
}

/** The API takes a count by product and lot. */
const NO_PRODUCT =
  'the API does not say of what product this lot is, so its count cannot be sent: ' +
  'leave it out, and have the lot looked at in the store'

const place = ({ file, sheet, row }: CountRow): string =>
  `${file}${sheet === undefined ? '' : `, ${sheet}`} row ${row}`

const tagOf = ({ cells }: CountRow): string => cells.scanned_tag || cells.package_tag
