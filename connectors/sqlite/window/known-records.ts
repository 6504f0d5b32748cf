/**
 * Records that are in the tables already, letter for letter: lookbacks read mostly such ones. Each
 * is one comparison with its row, without a look at its columns.
 */
import type Database from 'better-sqlite3'
import { cellTables, ROW_HEAD, unpackCells } from '../../cells.ts'
import type { AnswerText } from '../../record.ts'
import type { Stream } from '../../stream.ts'
import { quote, rowTable } from '../connection/sql-text.ts'

export interface ComparedRecords {
  unchanged: number
  /** Positions of all others. */
  left: number[]
}

export interface KnownRecords {
  /** Whether there are rows for the first and the last record: then there mostly are for all. */
  seemKnown(text: AnswerText, store: string): boolean
  /** Passes over the positions `skip`. */
  compare(text: AnswerText, skip: readonly number[], store: string): ComparedRecords
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]

export function createKnownRecords(database: Database.Database, stream: Stream): KnownRecords {
  const read = createRecordReader(stream)
  const row = `FROM ${rowTable(stream.name)} WHERE store_id = ? AND id = CAST(? AS TEXT)`
  const exists = database.prepare<[string, Buffer], 1>(`SELECT 1 ${row}`)
  const same = database
    .prepare<[Buffer, string | null, string, Buffer], number>(
      `SELECT raw = CAST(? AS TEXT) AND gone_at IS NULL AND ${quote(stream.cursor)} IS ? ${row}`,
    )
    .pluck()
  const isThere = ({ key }: KeyedRecord, store: string): boolean =>
    key !== undefined && exists.get(store, key) !== undefined
  const isSame = ({ key, raw, modified }: KeyedRecord, store: string): boolean =>
    key !== undefined && same.get(raw, modified, store, key) === 1
  return {
    seemKnown(text, store) {
      const { count, at } = read(text)
      return count > 0 && isThere(at(0), store) && isThere(at(count - 1), store)
    },
    compare(text, skip, store) {
      const { count, at } = read(text)
      const skipped = new Set(skip)
      const found: ComparedRecords = { unchanged: 0, left: [] }
      for (let position = 0; position < count; position++) {
        if (skipped.has(position)) continue
        if (isSame(at(position), store)) found.unchanged++
        else found.left.push(position)
      }
      return found
    },
  }
}

interface KeyedRecord {
  raw: Buffer
  /** Undefined where SQLite would read another text out of the JSON, or where it is empty. */
  key: Buffer | undefined
  modified: string | null
}

type RecordReader = (text: AnswerText) => { count: number; at(position: number): KeyedRecord }

function createRecordReader(stream: Stream): RecordReader {
  const tables = cellTables(stream)
  const placeOf = (name: string): number => ROW_HEAD + 2 * Object.keys(stream.columns).indexOf(name)
  const [id, cursor] = [placeOf('id'), placeOf(stream.cursor)]
  return ({ json, cells }) => {
    const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
    const records = unpackCells(cells, tables)[0]!
    const slice = (cell: number): Buffer => bytes.subarray(cells[cell], cells[cell + 1])
    return {
      count: records.rows,
      at(position) {
        const row = records.at + position * records.width
        const modified = slice(row + cursor).toString('latin1')
        return {
          raw: slice(row),
          key: keyOf(slice(row + id)),
          modified: modified === '' ? null : modified,
        }
      },
    }
  }
}

function keyOf(token: Buffer): Buffer | undefined {
  if (token[0] !== QUOTE) return undefined
  const key = token.subarray(1, -1)
  return key.length === 0 || key.includes(BACKSLASH) ? undefined : key
}
