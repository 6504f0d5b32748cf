/**
 * How much the parts of a workbook are, inflated here within a limit before anybody else does: what
 * a ZIP says of itself may be a lie.
 */
import { inflateRawSync } from 'node:zlib'
import { TABLE_LIMITS } from './limits.ts'
import { refuseTable, tooLarge } from './table.ts'
import type { TableProblem } from './table.ts'

interface Entry {
  name: string
  isDeflated: boolean
  from: number
  bytes: number
}

const MEGABYTE = 1_000_000
const DIRECTORY_ENTRY = 0x02014b50
const END_OF_DIRECTORY = 0x06054b50
const END_BYTES = 22
/** A comment may stand behind it. */
const MOST_END_BYTES = END_BYTES + 0xffff

/** What keeps a workbook from being read; undefined where nothing does. */
export function judgeWorkbook(bytes: Buffer): TableProblem | undefined {
  const entries = listEntries(bytes)
  if (entries === undefined) return refuseTable('FORMAT', NO_WORKBOOK).problem
  const { parts, inflatedMegabytes } = TABLE_LIMITS
  if (entries.length > parts) return tooLarge('the workbook', parts, 'parts').problem
  const seen: Seen = { tags: 0, sharedTexts: 0, cells: 0 }
  let left = inflatedMegabytes * MEGABYTE
  for (const entry of entries) {
    const part = inflate(bytes, entry, left)
    if (part === undefined) return refuseTable('FORMAT', NO_WORKBOOK).problem
    if (part === 'too large')
      return tooLarge('the workbook, inflated,', inflatedMegabytes, 'MB').problem
    left -= part.length
    const problem = judgePart(part, seen)
    if (problem !== undefined) return problem
  }
  return undefined
}

const NO_WORKBOOK = 'it is not a readable XLSX workbook; save it as .xlsx again'

/** Of all parts so far. */
interface Seen {
  tags: number
  sharedTexts: number
  cells: number
}

function judgePart(part: Buffer, seen: Seen): TableProblem | undefined {
  const problem = judgeTags(part, seen)
  if (problem !== undefined) return problem
  if (part.includes('<!DOCTYPE') || part.includes('<!ENTITY'))
    return refuseTable('FORMAT', NO_WORKBOOK).problem
  return part.includes('sheetData') ? judgeSheet(part.toString('latin1'), seen) : undefined
}

/** Pictures have few of them by chance. */
function judgeTags(part: Buffer, seen: Seen): TableProblem | undefined {
  const { tags, tagBytes, sharedTexts } = TABLE_LIMITS
  const isText = part.includes('<?xml') || part.includes('xmlns')
  for (let at = part.indexOf(TAG); at !== -1; at = part.indexOf(TAG, at + 1)) {
    seen.tags++
    if (part.subarray(at + 1, at + 3).equals(SHARED_TEXT)) seen.sharedTexts++
    const end = isText ? part.indexOf(TAG_END, at) : at
    if ((end === -1 ? part.length : end) - at > tagBytes)
      return tooLarge('a tag of the workbook', tagBytes, 'bytes').problem
  }
  if (seen.tags > tags) return tooLarge('the workbook', tags, 'tags in its parts').problem
  return seen.sharedTexts > sharedTexts
    ? tooLarge('the workbook', sharedTexts, 'different texts').problem
    : undefined
}

const [TAG, TAG_END] = [0x3c, 0x3e]
const SHARED_TEXT = Buffer.from('si')

/** How far a worksheet reaches: a reader makes the empty cells before the last one, too. */
function judgeSheet(sheet: string, seen: Seen): TableProblem | undefined {
  let [lastRow, lastColumn, found] = [0, 0, 0]
  for (const [, letters, digits] of sheet.matchAll(/\br\s*=\s*["']([A-Z]{0,4})(\d{1,12})["']/gi)) {
    lastRow = Math.max(lastRow, Number(digits))
    lastColumn = Math.max(lastColumn, columnOf(letters!.toUpperCase()))
  }
  for (const _ of sheet.matchAll(/<(?:\w+:)?c[\s/>]/g)) found++
  seen.cells += Math.max(found, lastRow * lastColumn)
  const { rows, columns, workbookCells } = TABLE_LIMITS
  const reaches = 'a worksheet that reaches to'
  if (lastRow > rows) return tooLarge(`${reaches} row ${lastRow}`, rows, 'rows').problem
  if (lastColumn > columns)
    return tooLarge(`${reaches} column ${lastColumn}`, columns, 'columns').problem
  return seen.cells > workbookCells
    ? tooLarge('the workbook', workbookCells, 'cells, empty ones included').problem
    : undefined
}

const columnOf = (letters: string): number =>
  letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

function inflate(
  bytes: Buffer,
  { isDeflated, from, bytes: length }: Entry,
  left: number,
): Buffer | 'too large' | undefined {
  const packed = bytes.subarray(from, from + length)
  if (!isDeflated) return packed.length > left ? 'too large' : packed
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(left, 1) })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? 'too large'
      : undefined
  }
}

/** By the directory at the end, which is what a reader goes by; undefined: there is none. */
function listEntries(bytes: Buffer): Entry[] | undefined {
  const from = Math.max(0, bytes.length - MOST_END_BYTES)
  const end = bytes.subarray(from).lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06])) + from
  if (end < from || end + END_BYTES > bytes.length) return undefined
  if (bytes.readUInt32LE(end) !== END_OF_DIRECTORY) return undefined
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  const entries: Entry[] = []
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) return undefined
    const entry = readEntry(bytes, at)
    if (entry === undefined) return undefined
    entries.push(entry)
    at +=
      46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

/** Encrypted ones, and those of other methods, are none of a workbook. */
function readEntry(bytes: Buffer, at: number): Entry | undefined {
  const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)]
  const local = bytes.readUInt32LE(at + 42)
  if ((flags & 1) === 1 || (method !== 0 && method !== 8)) return undefined
  if (local + 30 > bytes.length) return undefined
  return {
    name: bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28)),
    isDeflated: method === 8,
    from: local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28),
    bytes: bytes.readUInt32LE(at + 20),
  }
}
