import { TillageError } from '../../errors.ts'
import { bytesOf, cellOf, spelledIn } from '../answer/values.ts'
import { cellTables, unpackCells } from '../cells.ts'
import type { PackedRows } from '../cells.ts'
import type { AnswerText } from '../record.ts'
import type { Stream } from '../stream.ts'
import type { StoreInfo } from './store-info.ts'

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

/**
 * A page with a record that says of itself that it is of another company, or shop, than the one
 * that answered is taken for none (INV-4, INV-13). What names nobody is not compared; where nobody
 * knows whose the keys are, all of a page are of one, or some are of another.
 */
export function refuseForeignRows(
  { path }: Stream,
  owners: RowOwners,
  shop: StoreInfo | undefined,
): void {
  for (const [field, own] of [
    ['companyId', shop?.companyId],
    ['shopId', shop?.shopId],
  ] as const) {
    const [first] = owners[field]
    const other = owners[field].find(owner => owner !== (own ?? first))
    if (other === undefined) continue
    const rest = own === undefined ? `of ${first}` : `the keys stand for ${own}`
    throw new TillageError(
      'ROWS_OF_ANOTHER_SHOP',
      `${path} answered records of ${field} ${other}, and ${rest}; nothing of that page was kept`,
      {
        remedy:
          'The window stays unproven. Ask the platform why this key is shown records ' +
          'of somebody else.',
      },
    )
  }
}
