import { cellTables, ROW_HEAD, unpackCells } from '../cells.ts'
import type { AnswerText } from '../record.ts'
import type { Stream } from '../stream.ts'

/** Id and times of a record. */
export type IdAndTimes = [id: string, ...times: (number | null)[]]

/**
 * Reads ids and times of records that fit their declaration, without parsing these again. Undefined
 * where that does not do: an id is missing, or spelled with escapes.
 */
export type CellReader = (text: AnswerText) => IdAndTimes[] | undefined

const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/** For times at these paths; undefined where one of them is no declared column. */
export function createCellReader(stream: Stream, paths: readonly string[]): CellReader | undefined {
  const tables = cellTables(stream)
  const columns = Object.entries(stream.columns)
  const placeOf = (index: number): number => ROW_HEAD + 2 * index
  const id = placeOf(columns.findIndex(([name]) => name === 'id'))
  const found = paths.map(path =>
    columns.findIndex(([, column]) => column.kind === 'timestamp' && column.path === path),
  )
  if (stream.key !== undefined || found.includes(-1)) return undefined
  const times = found.map(placeOf)
  return ({ json, cells }) => {
    const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
    const [records] = unpackCells(cells, tables)
    const rows: IdAndTimes[] = []
    for (let number = 0; number < records!.rows; number++) {
      const at = records!.at + number * records!.width
      const key = textAt(bytes, cells[at + id]!, cells[at + id + 1]!)
      if (key === undefined) return undefined
      rows.push([
        key,
        ...times.map(time => numberAt(bytes, cells[at + time]!, cells[at + time + 1]!)),
      ])
    }
    return rows
  }
}

function textAt(json: Buffer, start: number, end: number): string | undefined {
  if (end === 0) return undefined
  if (json[start] !== QUOTE) return json.toString('latin1', start, end)
  const text = json.subarray(start + 1, end - 1)
  return text.includes(BACKSLASH) ? undefined : text.toString('utf8')
}

const numberAt = (json: Buffer, start: number, end: number): number | null =>
  end === 0 ? null : Number(json.toString('latin1', start, end))

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
