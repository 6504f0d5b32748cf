/**
 * Tables of a SQLite database, written page by page without SQLite: rows whose values are slices of
 * one text need no binding then, which takes longer than everything that SQLite does with them. The
 * format is sqlite.org/fileformat2.html, which promises to stay readable; rows come in the order of
 * their rowids.
 */

/** As large as SQLite has them: most records fit one. */
export const TABLE_PAGE_BYTES = 65_536

const [LEAF, INTERIOR] = [0x0d, 0x05]
const [LEAF_HEAD, INTERIOR_HEAD] = [8, 12]
/** Each takes the number of a page, a rowid, and the two bytes that say where these stand. */
const MOST_CHILDREN = Math.floor((TABLE_PAGE_BYTES - INTERIOR_HEAD) / 10)
/** What is longer spills over into pages of its own (1.5 of the format), which we do not write. */
const MOST_PAYLOAD = TABLE_PAGE_BYTES - 35

/** So many bytes are copied faster one by one than by a call. */
const FEW_BYTES = 32

/** Serial types of values (2.1 of the format); a text of n bytes is `TEXT + 2 * n`. */
const [NULL, INT_32, FALSE, TRUE, TEXT] = [0, 4, 8, 9, 13]

/** The file that pages go to; the first one has number 1. */
export interface PageFile {
  /** Answers the number that the page has got. */
  append(page: Uint8Array): number
  replace(number: number, page: Uint8Array): void
}

/** One value or more, in the order of the columns; all texts are slices of one buffer. */
export class RowValues {
  readonly types: Int32Array
  /** Where a text begins, or the number itself. */
  readonly places: Int32Array
  count = 0
  bytes = 0

  constructor(most: number) {
    this.types = new Int32Array(most)
    this.places = new Int32Array(most)
  }

  clear(): void {
    this.count = 0
    this.bytes = 0
  }

  null(): void {
    this.types[this.count++] = NULL
  }

  boolean(value: boolean): void {
    this.types[this.count++] = value ? TRUE : FALSE
  }

  integer(value: number): void {
    this.types[this.count] = INT_32
    this.places[this.count++] = value
    this.bytes += 4
  }

  text(start: number, end: number): void {
    this.types[this.count] = TEXT + 2 * (end - start)
    this.places[this.count++] = start
    this.bytes += end - start
  }
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

  /** False, and nothing is written, where the row is longer than a page. */
  add(rowid: number, { types, places, count, bytes }: RowValues, text: Buffer): boolean {
    let head = 0
    for (let at = 0; at < count; at++) head += lengthOf(types[at]!)
    head += head < 127 ? 1 : 2
    const payload = head + bytes
    if (payload > MOST_PAYLOAD) return false
    const size = lengthOf(payload) + lengthOf(rowid) + payload
    if (size + 2 > this.#content - LEAF_HEAD - 2 * this.#cells) this.#endLeaf()
    const page = this.#page
    let at = (this.#content -= size)
    page.writeUInt16BE(at, LEAF_HEAD + 2 * this.#cells++)
    at = putNumber(page, at, payload)
    at = putNumber(page, at, rowid)
    at = putNumber(page, at, head)
    for (let value = 0; value < count; value++) at = putNumber(page, at, types[value]!)
    for (let value = 0; value < count; value++) {
      const type = types[value]!
      if (type >= TEXT) at = this.#putText(at, text, places[value]!, (type - TEXT) / 2)
      else if (type === INT_32) at = page.writeInt32BE(places[value]!, at)
    }
    this.#lastRowid = rowid
    return true
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

  #putText(at: number, text: Buffer, start: number, bytes: number): number {
    if (bytes > FEW_BYTES) text.copy(this.#page, at, start, start + bytes)
    else for (let byte = 0; byte < bytes; byte++) this.#page[at + byte] = text[start + byte]!
    return at + bytes
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

/** Numbers of seven bits a byte, all but the last with the eighth set; none here needs five. */
const MOST_NUMBER = 2 ** 28

function lengthOf(number: number): number {
  if (number < 128) return 1
  if (number < 16_384) return 2
  if (number < 2_097_152) return 3
  if (number < MOST_NUMBER) return 4
  throw new RangeError(`${number} is more than a page of rows may hold`)
}

function putNumber(page: Uint8Array, from: number, number: number): number {
  let at = from
  for (let shift = 7 * (lengthOf(number) - 1); shift > 0; shift -= 7)
    page[at++] = (number >> shift) | 0x80
  page[at++] = number & 0x7f
  return at
}
