import Database from 'better-sqlite3'
import type { Interval } from '../../calendar/interval.ts'
import { PartnerError } from '../../errors.ts'
import { recordKey } from '../record.ts'
import type { AnswerText } from '../record.ts'
import { keySql } from '../stream-sql.ts'
import { FIRST_TIMESTAMP_MS, LAST_TIMESTAMP_MS } from '../stream.ts'
import type { Stream } from '../stream.ts'
import { createCellReader } from './row-cells.ts'

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

/** A list in an answer, as JSONB. */
export interface ListInAnswer {
  body: Buffer
  listPath: string
}

/** The list of an answer, in the forms that there are of it. */
interface ListToRead {
  jsonb(): ListInAnswer
  /** Where none of its records is doubtful. */
  text: AnswerText | undefined
}

type RowReader = (list: ListToRead | undefined, inside: Interval) => SeenRows

/** Reads the rows of a list; none where there is no list. */
export function createRowReader(memory: Database.Database, stream: Stream): RowReader {
  const paths = [...new Set([stream.columns[stream.cursor]!.path, 'created', ...stream.eventTimes])]
  const key = keySql(stream, 'value')
  const rowsOf = memory
    .prepare<ListInAnswer, unknown[]>(
      `SELECT type, CAST(${key} AS TEXT), CASE WHEN coalesce(${key}, '') = '' THEN json(value) END,
         ${paths.map(path => `value ->> '$.${path}'`).join(', ')}
       FROM jsonb_each(@body, @listPath)`,
    )
    .raw()
  const readCells = createCellReader(stream, paths)
  const readList = ({ text, jsonb }: ListToRead): unknown[][] => {
    const known = text === undefined ? undefined : readCells?.(text)
    return (
      known?.map(row => ['object', row[0], null, ...row.slice(1)]) ??
      recordsOf(rowsOf, stream, jsonb())
    )
  }
  const placesOf = (wanted: readonly string[]): number[] =>
    wanted.map(path => FIRST_TIME + paths.indexOf(path))
  const eventTimes = placesOf(stream.eventTimes)
  const otherTimes = placesOf(stream.eventTimes.filter(path => path !== stream.cursor))
  return (list, inside) => {
    const found = list === undefined ? [] : readList(list)
    const rows = found.map(row => seenRow(row, timesOf(row, eventTimes), inside))
    const isOnlyModified = (row: SeenRow, index: number): boolean =>
      isInside(row.modified, inside) && isElsewhere(timesOf(found[index]!, otherTimes), inside)
    const isByAnother = ({ inside: isIn, modified }: SeenRow): boolean =>
      isIn && modified !== null && !isInside(modified, inside)
    return {
      rows,
      byAnotherTime: rows.filter(isByAnother).length,
      byModifiedAlone: rows.filter(isOnlyModified).length,
    }
  }
}

/**
 * INV-4: a list of texts, numbers or nulls is no list of records. SQLite fails on texts, where it
 * expects JSON.
 */
function recordsOf(
  rowsOf: Database.Statement<ListInAnswer, unknown[]>,
  stream: Stream,
  page: ListInAnswer,
): unknown[][] {
  try {
    const rows = rowsOf.all(page)
    if (rows.every(([type]) => type === 'object' || (stream.mayHoldNulls && type === 'null')))
      return rows.map(row =>
        row.map((value, place) => (place < FIRST_TIME ? value : asTime(value))),
      )
  } catch (cause) {
    if (!(cause instanceof Database.SqliteError) || cause.code !== 'SQLITE_ERROR') throw cause
  }
  throw new PartnerError(
    'PARTNER_ENVELOPE',
    `${stream.path} answered a list with items that are not records`,
    { remedy: 'The window stays unproven; it was not treated as an empty list.' },
  )
}

/** Places of a row's columns: `modified`, `created` and the event times come last. */
const [MODIFIED, CREATED, FIRST_TIME] = [3, 4, 3]

/** A number in a text is a time to the tables, and has to be one to the proof. */
const asTime = (value: unknown): unknown =>
  typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
const NUMBER = /^\s*[-+]?\d+(\.\d*)?(e[-+]?\d+)?\s*$/i

/** What no calendar has says nothing about where a record lies; its record is a dead letter. */
const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= FIRST_TIMESTAMP_MS && value <= LAST_TIMESTAMP_MS

/** Kept with each row until its window ends: `filter` makes lists with room for sixteen more. */
function timesOf(row: readonly unknown[], places: readonly number[]): readonly number[] {
  const times = places.map(place => row[place])
  return times.every(isTime) ? times : times.filter(isTime)
}

function seenRow(row: unknown[], times: readonly number[], inside: Interval): SeenRow {
  const [, id, rawWithoutId] = row
  const [modified, created] = [row[MODIFIED], row[CREATED]]
  return {
    id: recordKey(id as string | null, (rawWithoutId ?? 'null') as string),
    modified: isTime(modified) ? modified : null,
    created: isTime(created) ? created : null,
    inside: times.length === 0 || times.some(time => isInside(time, inside)),
    times,
  }
}

const isInside = (time: number | null, { startMs, endMs }: Interval): boolean =>
  time !== null && time >= startMs && time < endMs

/** There are times, and all of them lie elsewhere. */
const isElsewhere = (times: readonly number[], inside: Interval): boolean =>
  times.length > 0 && !times.some(time => isInside(time, inside))
