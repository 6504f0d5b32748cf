import { bytesOf, createKeyReader } from '../answer/values.ts'
import { cellTables, unpackCells } from '../cells.ts'
import type { AnswerText } from '../record.ts'
import type { Stream } from '../stream.ts'
import { columnsOfRow, JsonRow } from './json-row.ts'

/** A record by its key, and when it was changed last, epoch milliseconds. */
export interface KeyedRecord {
  id: string
  modified: number | null
  raw: string
}

/** The records of an answer that have a key, in its order. */
export function keyedRecords(stream: Stream, text: AnswerText): KeyedRecord[] {
  const keyOf = createKeyReader(stream)
  const cursor = columnsOfRow(stream.columns, stream)[
    Object.keys(stream.columns).indexOf(stream.cursor)
  ]!
  const [records] = unpackCells(text.cells, cellTables(stream))
  const row = new JsonRow(bytesOf(text), text.cells)
  return Array.from({ length: records!.rows }, (_, position) => {
    row.open(records!.at + position * records!.width)
    const id = keyOf(row.json, row.cells, row.at)
    return id === undefined ? [] : [{ id, modified: row.timeOf(cursor), raw: row.raw }]
  }).flat()
}
