/** Rows of texts as COPY takes them in its binary format (`window/copy-rows.ts`). */
import type { Cell } from '../../copy/ends.ts'

const HEAD = Buffer.concat([Buffer.from('PGCOPY\n\u00ff\r\n\0', 'latin1'), Buffer.alloc(8)])
/** In the place of the number of cells, and of the length of a cell. */
const [END, NULL] = [-1, -1]

/** The types of the columns are PostgreSQL's own names of them. */
export function encodeRows(rows: readonly (readonly Cell[])[], types: readonly string[]): Buffer {
  const values = types.map(type => VALUES[type] ?? TEXT)
  const bytesOf = (row: readonly Cell[]): number =>
    row.reduce((sum, cell, at) => sum + 4 + (cell === null ? 0 : values[at]!.bytes(cell)), 2)
  const buffer = Buffer.allocUnsafe(rows.reduce((sum, row) => sum + bytesOf(row), HEAD.length + 2))
  let end = HEAD.copy(buffer)
  for (const row of rows) {
    end = buffer.writeInt16BE(row.length, end)
    for (const [at, cell] of row.entries()) {
      const { bytes, write } = values[at]!
      end = buffer.writeInt32BE(cell === null ? NULL : bytes(cell), end)
      if (cell !== null) end = write(buffer, cell, end)
    }
  }
  buffer.writeInt16BE(END, end)
  return buffer
}

/** How long a value is, and how it is written; answers where it ends. */
interface Value {
  bytes(cell: string): number
  write(buffer: Buffer, cell: string, at: number): number
}

/** No text of PostgreSQL holds a NUL; `raw` has it as the escape that it was. */
const held = (cell: string): string =>
  cell.includes('\0') ? cell.replaceAll('\0', '\uFFFD') : cell

const TEXT: Value = {
  bytes: cell => Buffer.byteLength(held(cell)),
  write: (buffer, cell, at) => at + buffer.write(held(cell), at),
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
