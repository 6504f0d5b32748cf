import { createRecordExaminer } from '../answer/judge-records.ts'
import type { ExaminedRecords, RecordExaminer } from '../answer/judge-records.ts'
import type { Stream } from '../stream.ts'
import { fittingRecord } from './fitting-record.ts'
import type { PageOfRecords } from './stage-records.ts'

/** A record that is kept, and the number of its row in the table of its stream. */
export interface KeptRow {
  rid: number
  raw: string
}

/** Kept records as a page, each under the number of its row. */
export interface PageOfKept {
  page: PageOfRecords
  /** Numbers of rows of which nobody can read the record: it is not on the page. */
  unreadable: ReadonlySet<number>
}

/** Values that do not fit columns as they are declared today are left out. */
export function pageOfKept(stream: Stream, kept: readonly KeptRow[]): PageOfKept {
  const examine = createRecordExaminer(stream)
  const asKept = examineAll(examine, kept)
  const doubtful = new Set(
    asKept === undefined
      ? kept.filter(row => examineAll(examine, [row])?.unfit.length !== 0)
      : asKept.unfit.map(({ position }) => kept[position]!),
  )
  if (asKept !== undefined && doubtful.size === 0) return pageOf(asKept, kept, kept)
  const fitting = kept.flatMap(row => (doubtful.has(row) ? fittingRow(stream, row) : [row]))
  return pageOf(examine(fitting.map(({ raw }) => raw)), fitting, kept)
}

/** Undefined where one of them is no compact JSON, or is more than one record. */
function examineAll(
  examine: RecordExaminer,
  kept: readonly KeptRow[],
): ExaminedRecords | undefined {
  try {
    const examined = examine(kept.map(({ raw }) => raw))
    return examined.text.cells[0] === kept.length ? examined : undefined
  } catch {
    return undefined
  }
}

function fittingRow(stream: Stream, { rid, raw }: KeptRow): KeptRow[] {
  try {
    return [{ rid, raw: fittingRecord(stream, raw) }]
  } catch {
    return []
  }
}

/** What does not fit even so is no object, or has no key. */
function pageOf(
  { text, unfit }: ExaminedRecords,
  records: readonly KeptRow[],
  kept: readonly KeptRow[],
): PageOfKept {
  const numbers = records.map(({ rid }) => rid)
  const dropped = unfit.map(({ position }) => position)
  const unreadable = new Set(kept.map(({ rid }) => rid))
  for (const [position, rid] of numbers.entries())
    if (!dropped.includes(position)) unreadable.delete(rid)
  return {
    page: { text, rows: records.length, unfit: [], superseded: [], dropped, numbers },
    unreadable,
  }
}
