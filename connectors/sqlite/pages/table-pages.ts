/**
 * Tables of a SQLite database, written page by page without SQLite: rows whose values are slices of
 * one text need no binding then, which takes longer than everything that SQLite does with them. The
 * format is sqlite.org/fileformat2.html, which promises to stay readable; rows come in the order of
 * their rowids.
 */
import { ftruncateSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { writeWhole } from '../../staged/files-beside.ts'
import {
  INT_32,
  INT_48,
  INT_64,
  MOST_SHIFTED,
  REAL,
  TEXT,
  lengthOf,
} from '../../staged/row-values.ts'
import type { RowValues } from '../../staged/row-values.ts'

/** As large as SQLite has them: most records fit one. */
export const TABLE_PAGE_BYTES = 65_536

const [LEAF, INTERIOR] = [0x0d, 0x05]
const [LEAF_HEAD, INTERIOR_HEAD] = [8, 12]
/** Each takes the number of a page, a rowid, and the two bytes that say where these stand. */
const MOST_CHILDREN = Math.floor((TABLE_PAGE_BYTES - INTERIOR_HEAD) / 14)
/** What is longer spills over into pages of its own (1.5 of the format). */
const MOST_PAYLOAD = TABLE_PAGE_BYTES - 35
const LEAST_PAYLOAD = Math.floor(((TABLE_PAGE_BYTES - 12) * 32) / 255) - 23
/** Of a page that another row has spilled over into: behind the number of the next one. */
const SPILLED_BYTES = TABLE_PAGE_BYTES - 4

/** So many bytes are copied faster one by one than by a call. */
const FEW_BYTES = 32

/** The file that pages go to; the first one has number 1. */
export interface PageFile {
  /** Answers the number that the page has got. */
  append(page: Uint8Array): number
  replace(number: number, page: Uint8Array): void
}

/** A page that is written, and the largest rowid below it. */
interface Child {
  page: number
  rowid: number
}

/** One table, which is written once: its rows in the order of their rowids, then `finish`. */
export class TablePages {
  readonly #file: PageFile
  readonly #root: number
  readonly #mostChildren: number
  readonly #page = Buffer.alloc(TABLE_PAGE_BYTES)
  readonly #leaves: Child[] = []
  #cells = 0
  /** Where the content of cells begins: it grows from the end of the page. */
  #content = TABLE_PAGE_BYTES
  #lastRowid = 0

  /** `mostChildren` are three or more. */
  constructor(file: PageFile, root: number, mostChildren = MOST_CHILDREN) {
    this.#file = file
    this.#root = root
    this.#mostChildren = mostChildren
  }

  /** Rowids are positive, and each is larger than the one before. */
  add(rowid: number, values: RowValues, text: Buffer): void {
    const payload = values.measure()
    if (payload > MOST_PAYLOAD) return this.#addLong(rowid, payload, values, text)
    putRow(this.#page, this.#beginCell(rowid, payload, payload), values, text)
  }

  /** Writes the tree above the rows. */
  finish(): void {
    if (this.#leaves.length > 0) {
      this.#endLeaf()
      this.#writeTree()
    } else {
      putHead(this.#page, LEAF, this.#cells, this.#content)
      this.#file.replace(this.#root, this.#page)
    }
  }

  /** Its first bytes stand in the leaf, and behind them where the others are. */
  #addLong(rowid: number, payload: number, values: RowValues, text: Buffer): void {
    const row = Buffer.allocUnsafe(payload)
    putRow(row, 0, values, text)
    const spilled = LEAST_PAYLOAD + ((payload - LEAST_PAYLOAD) % SPILLED_BYTES)
    const here = spilled <= MOST_PAYLOAD ? spilled : LEAST_PAYLOAD
    const at = this.#beginCell(rowid, payload, here + 4)
    row.copy(this.#page, at, 0, here)
    this.#page.writeUInt32BE(this.#spill(row.subarray(here)), at + here)
  }

  /** The last part first, since each page names the next one. */
  #spill(rest: Buffer): number {
    let next = 0
    const page = Buffer.alloc(TABLE_PAGE_BYTES)
    for (let parts = Math.ceil(rest.length / SPILLED_BYTES); parts > 0; parts--) {
      page.writeUInt32BE(next)
      rest.copy(page, 4, (parts - 1) * SPILLED_BYTES, parts * SPILLED_BYTES)
      next = this.#file.append(page)
    }
    return next
  }

  /** Makes room for a row of which so many bytes stand in the leaf; answers where they go. */
  #beginCell(rowid: number, payload: number, bytes: number): number {
    if (rowid <= this.#lastRowid) throw new RangeError(`row ${rowid} comes too late`)
    const size = lengthOf(payload) + lengthOf(rowid) + bytes
    if (size + 2 > this.#content - LEAF_HEAD - 2 * this.#cells) this.#endLeaf()
    this.#lastRowid = rowid
    const at = (this.#content -= size)
    this.#page.writeUInt16BE(at, LEAF_HEAD + 2 * this.#cells++)
    return putNumber(this.#page, putNumber(this.#page, at, payload), rowid)
  }

  #endLeaf(): void {
    putHead(this.#page, LEAF, this.#cells, this.#content)
    this.#leaves.push({ page: this.#file.append(this.#page), rowid: this.#lastRowid })
    this.#cells = 0
    this.#content = TABLE_PAGE_BYTES
  }

  #writeTree(): void {
    let level = this.#leaves
    while (level.length > this.#mostChildren)
      level = inGroups(level, this.#mostChildren).map(children => ({
        page: this.#file.append(interiorPage(children)),
        rowid: children.at(-1)!.rowid,
      }))
    this.#file.replace(this.#root, interiorPage(level))
  }
}

/** Groups of nearly the same size: a page of one child alone is not allowed. */
function inGroups(level: readonly Child[], most: number): Child[][] {
  const groups = Math.ceil(level.length / most)
  const startOf = (group: number): number => Math.floor((group * level.length) / groups)
  return Array.from({ length: groups }, (_, at) => level.slice(startOf(at), startOf(at + 1)))
}

function interiorPage(children: readonly Child[]): Buffer {
  const page = Buffer.alloc(TABLE_PAGE_BYTES)
  let content = TABLE_PAGE_BYTES
  for (const [index, child] of children.slice(0, -1).entries()) {
    content -= 4 + lengthOf(child.rowid)
    page.writeUInt16BE(content, INTERIOR_HEAD + 2 * index)
    putNumber(page, page.writeUInt32BE(child.page, content), child.rowid)
  }
  putHead(page, INTERIOR, children.length - 1, content)
  page.writeUInt32BE(children.at(-1)!.page, LEAF_HEAD)
  return page
}

/** Without free blocks and fragments; 0 stands for 65,536. */
function putHead(page: Buffer, kind: number, cells: number, content: number): void {
  page.fill(0, 0, LEAF_HEAD)
  page[0] = kind
  page.writeUInt16BE(cells, 3)
  page.writeUInt16BE(content % TABLE_PAGE_BYTES, 5)
}

/** The head says its own length and the kinds of the values, which stand behind it. */
function putRow(page: Buffer, from: number, values: RowValues, text: Buffer): void {
  const { types, places, numbers, own, count } = values
  let at = putNumber(page, from, values.head)
  for (let value = 0; value < count; value++) at = putNumber(page, at, types[value]!)
  for (let value = 0; value < count; value++) {
    const type = types[value]!
    const start = places[value]!
    if (type >= TEXT) {
      const bytes = (type - TEXT) / 2
      if (start < 0) own.copy(page, at, ~start, ~start + bytes)
      else if (bytes > FEW_BYTES) text.copy(page, at, start, start + bytes)
      else for (let byte = 0; byte < bytes; byte++) page[at + byte] = text[start + byte]!
      at += bytes
    } else if (type === INT_32) at = page.writeInt32BE(start, at)
    else if (isWide(type)) at = putWide(page, at, type, numbers[value]!)
  }
}

const isWide = (type: number): boolean => type >= INT_48 && type <= REAL

function putWide(page: Buffer, at: number, type: number, number: number): number {
  if (type === INT_48) return page.writeIntBE(number, at, 6)
  if (type === INT_64) return page.writeBigInt64BE(BigInt(number), at)
  return page.writeDoubleBE(number, at)
}

function putNumber(page: Uint8Array, from: number, number: number): number {
  if (number >= MOST_SHIFTED) return putLargeNumber(page, from, number)
  let at = from
  for (let shift = 7 * (lengthOf(number) - 1); shift > 0; shift -= 7)
    page[at++] = (number >> shift) | 0x80
  page[at++] = number & 0x7f
  return at
}

/** Of more bits than can be shifted. */
function putLargeNumber(page: Uint8Array, from: number, number: number): number {
  let rest = number
  const end = from + lengthOf(number)
  for (let at = end - 1; at >= from; at--) {
    page[at] = (rest % 128) | (at === end - 1 ? 0 : 0x80)
    rest = Math.floor(rest / 128)
  }
  return end
}

/**
 * A database that is filled without SQLite and read by it: a file of empty tables, to which pages
 * of rows are added.
 */
export interface DatabaseFile extends PageFile {
  /** Lets SQLite see what was written. */
  show(): void
  /** Takes all rows away. */
  empty(): void
}

/** Places of numbers in the header of a database (sqlite.org/fileformat2.html, 1.3). */
const [CHANGES, VALID_FOR] = [24, 92]

/**
 * SQLite locks bytes from here on, so it never reads or writes the page that holds them
 * (sqlite.org/fileformat2.html, 1.4).
 */
const LOCK_BYTES_AT = 2 ** 30
export const LOCK_PAGE = LOCK_BYTES_AT / TABLE_PAGE_BYTES + 1

/** Of a file that holds the empty database, and nothing else yet. */
export function databaseFileOf(file: number, empty: Buffer): DatabaseFile {
  const emptyPages = empty.length / TABLE_PAGE_BYTES
  let pages = emptyPages
  let changes = empty.readUInt32BE(CHANGES)
  const placeOf = (page: number): number => (page - 1) * TABLE_PAGE_BYTES
  // By the count of changes SQLite knows that its cache is old.
  const show = (): void => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(++changes)
    head.writeUInt32BE(pages, 4)
    writeWhole(file, head, CHANGES)
    writeWhole(file, head.subarray(0, 4), VALID_FOR)
  }
  return {
    append(page) {
      pages += pages + 1 === LOCK_PAGE ? 2 : 1
      writeWhole(file, page, placeOf(pages))
      return pages
    },
    replace: (number, page) => writeWhole(file, page, placeOf(number)),
    show,
    empty() {
      pages = emptyPages
      ftruncateSync(file, empty.length)
      writeWhole(file, empty.subarray(TABLE_PAGE_BYTES), TABLE_PAGE_BYTES)
      show()
    },
  }
}

/** The page that is the root of a table, by its place among those of `emptyDatabase`. */
export const rootOf = (table: number): number => table + 2

/** With these tables, which have rowids and no indexes. */
export function emptyDatabase(tables: readonly string[]): Buffer {
  const made = new Sqlite(':memory:')
  try {
    made.pragma(`page_size = ${TABLE_PAGE_BYTES}`)
    for (const table of tables) made.exec(table)
    return made.serialize()
  } finally {
    made.close()
  }
}
