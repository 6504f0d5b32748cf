/** Rows of texts as COPY takes them in its binary format (`window/copy-rows.ts`). */
import type { Cell } from '../../copy/ends.ts'

const HEAD = Buffer.concat([Buffer.from('PGCOPY\n\u00ff\r\n\0', 'latin1'), Buffer.alloc(8)])
const END = Buffer.from([0xff, 0xff])
const NULL = Buffer.from([0xff, 0xff, 0xff, 0xff])

/** The types of the columns are PostgreSQL's own names of them. */
export function encodeRows(rows: readonly (readonly Cell[])[], types: readonly string[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(types.length)
  const parts: Buffer[] = [HEAD]
  for (const row of rows) {
    parts.push(count)
    for (const [at, cell] of row.entries()) parts.push(...encode(cell, types[at]!))
  }
  return Buffer.concat([...parts, END])
}

function encode(cell: Cell, type: string): Buffer[] {
  if (cell === null) return [NULL]
  const value = (VALUES[type] ?? text)(cell)
  const length = Buffer.allocUnsafe(4)
  length.writeInt32BE(value.length)
  return [length, value]
}

/** No text of PostgreSQL holds a NUL; `raw` has it as the escape that it was. */
const text = (cell: string): Buffer =>
  Buffer.from(cell.includes('\0') ? cell.replaceAll('\0', '\uFFFD') : cell)

const VALUES: Readonly<Record<string, (cell: string) => Buffer>> = {
  bigint(cell) {
    const bytes = Buffer.allocUnsafe(8)
    bytes.writeBigInt64BE(BigInt(cell))
    return bytes
  },
  'double precision'(cell) {
    const bytes = Buffer.allocUnsafe(8)
    bytes.writeDoubleBE(Number(cell))
    return bytes
  },
  boolean: cell => Buffer.from([cell === '0' ? 0 : 1]),
}
