import { cellTables, unpackCells } from '../cells.ts'
import type { AnswerText } from '../record.ts'
import type { Stream } from '../stream.ts'
import { bytesOf } from './values.ts'

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
