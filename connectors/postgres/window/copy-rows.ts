/** Rows as COPY takes them in its binary format (postgresql.org/docs/current/sql-copy.html). */
import type { ClientBase, Connection } from 'pg'
import { FALSE, INT_32, NULL, REAL, TEXT, TRUE } from '../../staged/row-values.ts'
import type { RowValues } from '../../staged/row-values.ts'
import type { TableOfRows } from '../../staged/stage-records.ts'
import type { ColumnKind } from '../../stream.ts'

/** What stands before the rows, and behind them. */
export const HEAD = Buffer.concat([Buffer.from('PGCOPY\n\u00ff\r\n\0', 'latin1'), Buffer.alloc(8)])
export const END = Buffer.from([0xff, 0xff])

/** A text of so few bytes is copied faster byte by byte than by a call for it. */
const SHORT_BYTES = 64

/** Gathers rows until they are taken; the number of a row, where it has one, is its last column. */
export class CopyRows implements TableOfRows {
  readonly #isNumber: readonly boolean[]
  #buffer = Buffer.concat([HEAD], 1 << 16)
  #end = HEAD.length

  constructor(kinds: readonly ColumnKind[]) {
    this.#isNumber = kinds.map(isNumber)
  }

  /** Of the rows that wait. */
  get bytes(): number {
    return this.#end - HEAD.length
  }

  add(rowid: number | undefined, values: RowValues, text: Buffer): void {
    const count = values.count + (rowid === undefined ? 0 : 1)
    this.#reserve(2 + 12 * count + values.bytes)
    this.#end = this.#buffer.writeInt16BE(count, this.#end)
    for (let at = 0; at < values.count; at++) this.#put(values, at, text)
    if (rowid !== undefined) this.#putNumber(rowid)
  }

  /** Nothing waits to be written: rows are taken when their pages are there. */
  finish(): void {}

  /** The rows since the last time, as one COPY. Its bytes are there until the next row is added. */
  take(): Buffer {
    this.#reserve(END.length)
    const rows = this.#buffer.subarray(0, this.#end + END.length)
    END.copy(rows, this.#end)
    this.#end = HEAD.length
    return rows
  }

  #put(values: RowValues, at: number, text: Buffer): void {
    const type = values.types[at]!
    if (type >= TEXT) this.#putSpelled(values, at, text)
    else if (type === NULL) this.#end = this.#buffer.writeInt32BE(-1, this.#end)
    else if (type === FALSE || type === TRUE) {
      this.#end = this.#buffer.writeInt32BE(1, this.#end)
      this.#end = this.#buffer.writeUInt8(type === TRUE ? 1 : 0, this.#end)
    } else if (type === REAL) throw new TypeError('a fraction is no whole number')
    else this.#putNumber(type === INT_32 ? values.places[at]! : values.numbers[at]!)
  }

  #putSpelled(values: RowValues, at: number, text: Buffer): void {
    const place = values.places[at]!
    const isOwn = place < 0
    const start = isOwn ? ~place : place
    const end = start + (values.types[at]! - TEXT) / 2
    const source = isOwn ? values.own : text
    if (this.#isNumber[at] === true) this.#putDigits(source, start, end)
    else this.#putText(source, start, end)
  }

  #putText(source: Buffer, start: number, end: number): void {
    if (end - start > SHORT_BYTES) return this.#putLongText(source.subarray(start, end))
    const buffer = this.#buffer
    let to = buffer.writeInt32BE(end - start, this.#end)
    for (let at = start; at < end; at++) {
      const byte = source[at]!
      if (byte === 0) return this.#putLongText(source.subarray(start, end))
      buffer[to++] = byte
    }
    this.#end = to
  }

  /** No text of PostgreSQL holds a NUL; `raw` has it as the escape that it was. */
  #putLongText(text: Buffer): void {
    const held = text.includes(0) ? withoutNul(text) : text
    this.#reserve(4 + held.length)
    this.#end = this.#buffer.writeInt32BE(held.length, this.#end)
    this.#end += held.copy(this.#buffer, this.#end)
  }

  #putDigits(source: Buffer, start: number, end: number): void {
    const number = BigInt(source.toString('latin1', start, end))
    this.#end = this.#buffer.writeInt32BE(8, this.#end)
    this.#end = this.#buffer.writeBigInt64BE(number, this.#end)
  }

  #putNumber(number: number): void {
    const high = Math.floor(number / 2 ** 32)
    this.#end = this.#buffer.writeInt32BE(8, this.#end)
    this.#end = this.#buffer.writeInt32BE(high, this.#end)
    this.#end = this.#buffer.writeUInt32BE(number - high * 2 ** 32, this.#end)
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#end + bytes))
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}

const withoutNul = (text: Buffer): Buffer => Buffer.from(text.toString().replaceAll('\0', '\uFFFD'))

const isNumber = (kind: ColumnKind): boolean => kind === 'integer' || kind === 'timestamp'

type ReadCell = string | number | null

/** Few: between them the thread does what else it has to do. */
const ROWS_AT_ONCE = 256

/** The rows of one COPY, some at a time; whole numbers that no double holds as their digits. */
export function* readRows(copy: Buffer, kinds: readonly ColumnKind[]): Generator<ReadCell[][]> {
  const isNumberAt = kinds.map(isNumber)
  let rows: ReadCell[][] = []
  let at = HEAD.length
  while (copy.readInt16BE(at) >= 0) {
    at += 2
    const row: ReadCell[] = []
    for (const isNumber of isNumberAt) {
      const bytes = copy.readInt32BE(at)
      at += 4
      if (bytes < 0) row.push(null)
      else row.push(isNumber ? numberAt(copy, at) : copy.toString('utf8', at, at + bytes))
      if (bytes > 0) at += bytes
    }
    rows.push(row)
    if (rows.length < ROWS_AT_ONCE) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

function numberAt(copy: Buffer, at: number): number | string {
  const number = copy.readInt32BE(at) * 2 ** 32 + copy.readUInt32BE(at + 4)
  return Number.isSafeInteger(number) ? number : String(copy.readBigInt64BE(at))
}

/** Sends rows to a table. */
export function copyInto(client: ClientBase, table: string, rows: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  client.query(new CopyQuery(table, rows, error => (error ? reject(error) : resolve())))
  return promise
}

/** What the client asks of a query (`Submittable`), and of one that copies. */
class CopyQuery {
  readonly #table: string
  readonly #rows: Buffer
  readonly #done: (error?: Error) => void

  constructor(table: string, rows: Buffer, done: (error?: Error) => void) {
    this.#table = table
    this.#rows = rows
    this.#done = done
  }

  submit(connection: Connection): void {
    connection.query(`COPY ${this.#table} FROM STDIN (FORMAT binary)`)
  }

  /**
   * A message CopyData, as the protocol has it: a letter and how many bytes follow. The client's
   * own way copies the rows twice, and keeps the collector of garbage busy with the copies.
   */
  handleCopyInResponse(connection: CopyingConnection): void {
    const head = Buffer.from('d\0\0\0\0')
    head.writeInt32BE(4 + this.#rows.length, 1)
    connection.stream.cork()
    connection.stream.write(head)
    connection.stream.write(this.#rows)
    connection.endCopyFrom()
    connection.stream.uncork()
  }

  handleError(error: Error): void {
    this.#done(error)
  }

  handleReadyForQuery(): void {
    this.#done()
  }

  handleCommandComplete(): void {}
}

interface CopyingConnection extends Connection {
  endCopyFrom(): void
}
