import { cellTables, unpackCells } from '../cells.ts'
import type { AnswerText, UnfitRecord } from '../record.ts'
import type { Stream } from '../stream.ts'
import { createRecordJudge } from './judge-records.ts'
import { bytesOf } from './values.ts'
import { createAnswerWalker } from './walk-answer.ts'

/** The JSON text of each record of a page, with every digit (INV-6), in the order of its rows. */
export function recordTexts(stream: Stream, { text }: { text: AnswerText }): string[] {
  const bytes = bytesOf(text)
  const { cells } = text
  const [records] = unpackCells(cells, cellTables(stream))
  const { at, rows, width } = records!
  return Array.from({ length: rows }, (_, position) => {
    const row = at + position * width
    return bytes.toString('utf8', cells[row], cells[row + 1])
  })
}

/**
 * The same answer with the first of its records alone: it says as well what kind of answer it is.
 */
export function createSampler(stream: Stream): (text: AnswerText) => Buffer {
  const tables = cellTables(stream)
  return ({ json, cells }) => {
    const [records] = unpackCells(cells, tables)
    const last = records!.at + (records!.rows - 1) * records!.width
    const [firstEnd, lastEnd] = [cells[records!.at + 1]!, cells[last + 1]!]
    return Buffer.concat([json.subarray(0, firstEnd), json.subarray(lastEnd)])
  }
}

/** Records as the pages of an answer hold them: their text with its cells, and which do not fit. */
export interface ExaminedRecords {
  text: AnswerText
  unfit: readonly UnfitRecord[]
}

/** Of JSON texts that were kept before: valid, and without space between their tokens. */
export type RecordExaminer = (records: readonly string[]) => ExaminedRecords

export function createRecordExaminer(stream: Stream): RecordExaminer {
  const walk = createAnswerWalker(stream)
  const judge = createRecordJudge(stream)
  return records => {
    const json = Buffer.from(`[${records.join(',')}]`)
    const walked = walk(json, '$')
    if (walked?.cells === undefined) throw new TypeError('a kept record is no compact JSON')
    const text = { json, cells: walked.cells }
    return { text, unfit: judge(text, walked) }
  }
}
