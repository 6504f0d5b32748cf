import type { Interval } from '../../calendar/interval.ts'
import { PartnerError } from '../../errors.ts'
import { bytesOf, cellOf, createKeyReader, numberOf, spelledIn } from '../answer/values.ts'
import { cellTables, unpackCells } from '../cells.ts'
import type { PackedRows } from '../cells.ts'
import { recordKey } from '../record.ts'
import type { AnswerText } from '../record.ts'
import { FIRST_TIMESTAMP_MS, LAST_TIMESTAMP_MS } from '../stream.ts'
import type { Stream } from '../stream.ts'

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
