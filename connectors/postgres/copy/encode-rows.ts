/** Rows of texts as COPY takes them in its binary format (`window/copy-rows.ts`). */
import type { Cell } from '../../copy/ends.ts'
import { withoutNul } from '../../copy/restore-nul.ts'
import { END, HEAD } from '../window/copy-rows.ts'

/** In the place of the length of a cell. */
const NULL = -1

/** The types of the columns are PostgreSQL's own names of them. */
export function encodeRows(rows: readonly (readonly Cell[])[], types: readonly string[]): Buffer {
  const values = types.map(type => VALUES[type] ?? TEXT)
  const bytesOf = (row: readonly Cell[]): number =>
    row.reduce((sum, cell, at) => sum + 4 + (cell === null ? 0 : values[at]!.bytes(cell)), 2)
  const buffer = Buffer.allocUnsafe(
    rows.reduce((sum, row) => sum + bytesOf(row), HEAD.length + END.length),
  )
  let end = HEAD.copy(buffer)
  for (const row of rows) {
    end = buffer.writeInt16BE(row.length, end)
    for (const [at, cell] of row.entries()) {
      const { bytes, write } = values[at]!
      end = buffer.writeInt32BE(cell === null ? NULL : bytes(cell), end)
      if (cell !== null) end = write(buffer, cell, end)
    }
  }
  END.copy(buffer, end)
  return buffer
}

/** How long a value is, and how it is written; answers where it ends. */
interface Value {
  bytes(cell: string): number
  write(buffer: Buffer, cell: string, at: number): number
}

const TEXT: Value = {
  bytes: cell => Buffer.byteLength(withoutNul(cell)),
  write: (buffer, cell, at) => at + buffer.write(withoutNul(cell), at),
}

const VALUES: Readonly<Record<string, Value>> = {
  bigint: { bytes: () => 8, write: (buffer, cell, at) => buffer.writeBigInt64BE(BigInt(cell), at) },
  'double precision': {
    bytes: () => 8,
    write: (buffer, cell, at) => buffer.writeDoubleBE(Number(cell), at),
  },
  boolean: {
    bytes: () => 1,
    write: (buffer, cell, at) => buffer.writeUInt8(cell === '0' ? 0 : 1, at),
  },
}
