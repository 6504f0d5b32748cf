import { cellTables, unpackCells } from '../cells.ts'
import type { Stream } from '../stream.ts'
import type { Page } from './read-page.ts'

/** The JSON text of each record of a page, with every digit (INV-6), in the order of its rows. */
export function recordTexts(
  stream: Stream,
  { text: { json, cells } }: Pick<Page, 'text'>,
): string[] {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  const [records] = unpackCells(cells, cellTables(stream))
  const { at, rows, width } = records!
  return Array.from({ length: rows }, (_, position) => {
    const row = at + position * width
    return bytes.toString('utf8', cells[row], cells[row + 1])
  })
}
