import type Database from 'better-sqlite3'
import { cellTables, ROW_HEAD, unpackCells } from '../cells.ts'
import type { AnswerText } from '../record.ts'
import type { Stream } from '../stream.ts'
import type { ListInAnswer } from './read-rows.ts'

/** Whom the records of an answer say that they are of, each once. */
export interface RowOwners {
  companyId: readonly string[]
  /** Only of streams whose `shopId` says so (`ofShop`). */
  shopId: readonly string[]
}

/** The list of an answer, in the forms that there are of it. */
interface ListOfOwned {
  jsonb(): ListInAnswer
  text: AnswerText | undefined
}

type OwnerReader = (list: ListOfOwned | undefined) => RowOwners

const OWNERS = ['companyId', 'shopId'] as const
const NOBODY: RowOwners = { companyId: [], shopId: [] }
const BACKSLASH = 0x5c

/** Of streams whose records carry them as texts of their own. */
export function createOwnerReader(memory: Database.Database, stream: Stream): OwnerReader {
  const columns = Object.values(stream.columns)
  const wanted = OWNERS.filter(
    path => columns.some(column => column.path === path) && (path === 'companyId' || stream.ofShop),
  )
  if (wanted.length === 0) return () => NOBODY
  const tables = cellTables(stream)
  const ownersIn = memory
    .prepare<ListInAnswer & { path: string }, string>(
      `SELECT DISTINCT CAST(value ->> @path AS TEXT) AS owner
       FROM jsonb_each(@body, @listPath) WHERE owner <> ''`,
    )
    .pluck()
  const fromText = ({ json, cells }: AnswerText, path: string): string[] | undefined => {
    const [records] = unpackCells(cells, tables)
    const column = ROW_HEAD + 2 * columns.findIndex(one => one.path === path)
    return distinctTexts(bytesOf(json), cells, { ...records!, column })
  }
  return list => {
    if (list === undefined) return NOBODY
    const { text, jsonb } = list
    const found = wanted.map(path => [
      path,
      (text === undefined ? undefined : fromText(text, path)) ??
        ownersIn.all({ ...jsonb(), path: `$.${path}` }),
    ])
    return { ...NOBODY, ...(Object.fromEntries(found) as Partial<RowOwners>) }
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** Nearly all records of a page have the same; undefined where only a parser can tell. */
function distinctTexts(
  json: Buffer,
  cells: Int32Array,
  { at, rows, width, column }: { at: number; rows: number; width: number; column: number },
): string[] | undefined {
  const found = new Set<string>()
  let known: Buffer | undefined
  for (let row = 0; row < rows; row++) {
    const place = at + row * width + column
    const token = json.subarray(cells[place], cells[place + 1])
    if (token.length === 0 || (known !== undefined && token.equals(known))) continue
    if (token.includes(BACKSLASH)) return undefined
    found.add(token.toString('utf8').replaceAll('"', ''))
    known = token
  }
  found.delete('')
  return [...found]
}
