import type { Interval } from '../../calendar/days.ts'
import { PartnerError, TillageError } from '../../errors.ts'
import {
  bytesOf,
  cellOf,
  cellTables,
  createKeyReader,
  numberOf,
  recordKey,
  spelledIn,
  unpackCells,
} from '../cells.ts'
import type { AnswerText, PackedRows } from '../cells.ts'
import { FIRST_TIMESTAMP_MS, LAST_TIMESTAMP_MS } from '../stream.ts'
import type { Stream } from '../stream.ts'
import type { StoreInfo } from './store-info.ts'

/** What the proof needs to know of a row. */
export interface SeenRow {
  /** Its id, or a hash where it has none. */
  id: string
  modified: number | null
  created: number | null
  /**
   * Lies in the asked interval by one of the stream's event times; a row without any time does too.
   */
  inside: boolean
  /** Its event times, epoch milliseconds: by any of them a server may have picked it. */
  times?: readonly number[]
}

/** The rows of one answer. */
export interface SeenRows {
  rows: SeenRow[]
  /** Rows that lie inside, but not by their `modified`: the server let them in by another time. */
  byAnotherTime: number
  /**
   * Rows that lie inside by their `modified`, and by none of their other times: that is what the
   * server filters by.
   */
  byModifiedAlone: number
}

type RowReader = (text: AnswerText, inside: Interval) => SeenRows

const [OBJECT, LETTER_N] = [0x7b, 0x6e]

/** Reads the rows of a list. Throws where something else than records stands in it (INV-4). */
export function createRowReader(stream: Stream): RowReader {
  const tables = cellTables(stream)
  const keyOf = createKeyReader(stream)
  const columns = Object.values(stream.columns)
  const timeAt = (path: string): number => cellOf(columns.findIndex(one => one.path === path))
  const [modified, created] = [stream.columns[stream.cursor]!.path, 'created'].map(timeAt)
  const eventTimes = stream.eventTimes.map(timeAt)
  const otherTimes = stream.eventTimes.filter(path => path !== stream.cursor).map(timeAt)
  return (text, inside) => {
    const json = bytesOf(text)
    const { cells } = text
    const [{ at, rows: count, width }] = unpackCells(cells, tables) as [PackedRows]
    const seen: SeenRows = { rows: [], byAnotherTime: 0, byModifiedAlone: 0 }
    for (let row = at; row < at + count * width; row += width) {
      if (!isRecord(stream, json[cells[row]!])) throw noRecords(stream)
      const time = (cell: number): number | null => timeIn(json, cells, row + cell)
      const times = timesAt(eventTimes, time)
      const one: SeenRow = {
        id: recordKey(keyOf(json, cells, row), () => rawIn(json, cells, row)),
        modified: time(modified!),
        created: created === NO_CELL ? null : time(created!),
        inside: times.length === 0 || times.some(ms => isInside(ms, inside)),
        times,
      }
      seen.rows.push(one)
      if (one.inside && one.modified !== null && !isInside(one.modified, inside))
        seen.byAnotherTime++
      if (isInside(one.modified, inside) && isElsewhere(timesAt(otherTimes, time), inside))
        seen.byModifiedAlone++
    }
    return seen
  }
}

/** Of a time that is no declared column. */
const NO_CELL = cellOf(-1)

/** Kept with each row until its window ends: `filter` makes lists with room for sixteen more. */
function timesAt(cells: readonly number[], time: (cell: number) => number | null): number[] {
  const times = cells.map(time)
  return times.every(ms => ms !== null) ? times : times.filter(ms => ms !== null)
}

const rawIn = (json: Buffer, cells: Int32Array, row: number): string =>
  json.toString('utf8', cells[row], cells[row + 1])

const isRecord = ({ mayHoldNulls }: Stream, first: number | undefined): boolean =>
  first === OBJECT || (mayHoldNulls === true && first === LETTER_N)

const noRecords = ({ path }: Stream): PartnerError =>
  new PartnerError('PARTNER_ENVELOPE', `${path} answered a list with items that are not records`, {
    remedy: 'The window stays unproven; it was not treated as an empty list.',
  })

/**
 * A number in a text is a time to the tables, and has to be one to the proof. What no calendar has
 * says nothing about where a record lies; its record is a dead letter.
 */
function timeIn(json: Buffer, cells: Int32Array, cell: number): number | null {
  const [start, end] = [cells[cell]!, cells[cell + 1]!]
  if (end === 0) return null
  const time = numberOf(spelledIn(json, start, end))
  if (time === undefined) return null
  return time >= FIRST_TIMESTAMP_MS && time <= LAST_TIMESTAMP_MS ? time : null
}

const isInside = (time: number | null, { startMs, endMs }: Interval): boolean =>
  time !== null && time >= startMs && time < endMs

/** There are times, and all of them lie elsewhere. */
const isElsewhere = (times: readonly number[], inside: Interval): boolean =>
  times.length > 0 && !times.some(time => isInside(time, inside))

type SortKey = (row: SeenRow) => string | number | null
const SORT_KEYS: readonly (readonly [string, SortKey])[] = [
  ['modified', row => row.modified],
  ['created', row => row.created],
  ['id', row => row.id],
]

/**
 * The order that the rows of a list show themselves, or undefined. `seams` are the ranks at which
 * pages overlap: equal keys across one must be in order of id.
 */
export function orderOf(rows: readonly SeenRow[], seams: readonly number[]): string | undefined {
  for (const [name, key] of SORT_KEYS) {
    for (const direction of ['descending', 'ascending'] as const) {
      const sign = direction === 'ascending' ? 1 : -1
      const isSorted = rows.every(
        (row, rank) => rank === 0 || compare(key(rows[rank - 1]!), key(row)) * sign <= 0,
      )
      if (isSorted && tiesAreInOrder(rows, seams, key)) return `${name} ${direction}`
    }
  }
  return undefined
}

/** NaN where a key is missing: such rows are in no order. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number.NaN
  if (a === b) return 0
  return a < b ? -1 : 1
}

function tiesAreInOrder(rows: readonly SeenRow[], seams: readonly number[], key: SortKey): boolean {
  const directions = new Set<number>()
  for (const rank of seams) {
    const [before, seam, after] = [rows[rank - 1], rows[rank], rows[rank + 1]]
    if (before === undefined || seam === undefined || after === undefined) continue
    if (key(before) !== key(seam) || key(seam) !== key(after)) continue
    directions.add(compare(before.id, seam.id))
    directions.add(compare(seam.id, after.id))
  }
  return directions.size <= 1
}

/** Whom the records of an answer say that they are of, each once. */
export interface RowOwners {
  companyId: readonly string[]
  /** Only of streams whose `shopId` says so (`ofShop`). */
  shopId: readonly string[]
}

type OwnerReader = (text: AnswerText) => RowOwners

const OWNERS = ['companyId', 'shopId'] as const
const NOBODY: RowOwners = { companyId: [], shopId: [] }

/** Of streams whose records carry them as texts of their own. */
export function createOwnerReader(stream: Stream): OwnerReader {
  const columns = Object.values(stream.columns)
  const wanted = OWNERS.filter(
    path => columns.some(column => column.path === path) && (path === 'companyId' || stream.ofShop),
  )
  if (wanted.length === 0) return () => NOBODY
  const tables = cellTables(stream)
  return text => {
    const [records] = unpackCells(text.cells, tables)
    const found = wanted.map(path => {
      const column = cellOf(columns.findIndex(one => one.path === path))
      return [path, distinctTexts(bytesOf(text), text.cells, { ...records!, column })]
    })
    return { ...NOBODY, ...(Object.fromEntries(found) as Partial<RowOwners>) }
  }
}

/** Nearly all records of a page have the same. */
function distinctTexts(
  json: Buffer,
  cells: Int32Array,
  { at, rows, width, column }: PackedRows & { column: number },
): string[] {
  const found = new Set<string>()
  let known: Buffer | undefined
  for (let row = 0; row < rows; row++) {
    const place = at + row * width + column
    const [start, end] = [cells[place]!, cells[place + 1]!]
    const token = json.subarray(start, end)
    if (token.length === 0 || (known !== undefined && token.equals(known))) continue
    found.add(spelledIn(json, start, end))
    known = token
  }
  found.delete('')
  return [...found]
}

/**
 * A page with a record that says of itself that it is of another company, or shop, than the one
 * that answered is taken for none (INV-4, INV-13). What names nobody is not compared; where nobody
 * knows whose the keys are, all of a page are of one, or some are of another.
 */
export function refuseForeignRows(
  { path }: Stream,
  owners: RowOwners,
  shop: StoreInfo | undefined,
): void {
  for (const [field, own] of [
    ['companyId', shop?.companyId],
    ['shopId', shop?.shopId],
  ] as const) {
    const [first] = owners[field]
    const other = owners[field].find(owner => owner !== (own ?? first))
    if (other === undefined) continue
    const rest = own === undefined ? `of ${first}` : `the keys stand for ${own}`
    throw new TillageError(
      'ROWS_OF_ANOTHER_SHOP',
      `${path} answered records of ${field} ${other}, and ${rest}; nothing of that page was kept`,
      {
        remedy:
          'The window stays unproven. Ask the platform why this key is shown records ' +
          'of somebody else.',
      },
    )
  }
}
