import { bytesOf, cellOf, spelledIn } from '../answer/values.ts'
import { cellTables, unpackCells } from '../cells.ts'
import type { PackedRows } from '../cells.ts'
import type { AnswerText } from '../record.ts'
import type { Stream } from '../stream.ts'

/** Whom the records of an answer say that they are of, each once. */
export interface RowOwners {
  companyId: readonly string[]
  /** Only of streams whose `shopId` says so (`ofShop`). */
  shopId: readonly string[]
}

type OwnerReader = (text: AnswerText) => RowOwners

const OWNERS = ['companyId', 'shopId'] as const
const NOBODY: RowOwners = { companyId: [], shopId: [] }

/** Of streams whose records carry them as texts of their own. */
export function createOwnerReader(stream: Stream): OwnerReader {
  const columns = Object.values(stream.columns)
  const wanted = OWNERS.filter(
    path => columns.some(column => column.path === path) && (path === 'companyId' || stream.ofShop),
  )
  if (wanted.length === 0) return () => NOBODY
  const tables = cellTables(stream)
  return text => {
    const [records] = unpackCells(text.cells, tables)
    const found = wanted.map(path => {
      const column = cellOf(columns.findIndex(one => one.path === path))
      return [path, distinctTexts(bytesOf(text), text.cells, { ...records!, column })]
    })
    return { ...NOBODY, ...(Object.fromEntries(found) as Partial<RowOwners>) }
  }
}

/** Nearly all records of a page have the same. */
function distinctTexts(
  json: Buffer,
  cells: Int32Array,
  { at, rows, width, column }: PackedRows & { column: number },
): string[] {
  const found = new Set<string>()
  let known: Buffer | undefined
  for (let row = 0; row < rows; row++) {
    const place = at + row * width + column
    const [start, end] = [cells[place]!, cells[place + 1]!]
    const token = json.subarray(start, end)
    if (token.length === 0 || (known !== undefined && token.equals(known))) continue
    found.add(spelledIn(json, start, end))
    known = token
  }
  found.delete('')
  return [...found]
}
