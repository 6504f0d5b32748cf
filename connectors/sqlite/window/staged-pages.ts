import { closeSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { PageToStage } from '../../destination/windows.ts'
import type { AnswerText, Examined } from '../../record.ts'
import { openNameless, readWhole, removeLeftOver, writeWhole } from './files-beside.ts'

/** A page as it was staged. */
export interface StagedPage {
  /** The whole answer as SQLite's JSONB; made of its text where it was staged as that. */
  jsonb: () => Buffer
  text: AnswerText | undefined
  listPath: string
  /** Rows in the list, by the reader's count. */
  rows: number
  examined: Examined | undefined
}

/**
 * Pages wait in a file beside the database, one for each reading, so that memory stays flat. The
 * file is its owner's alone and has no name from the first moment on: the system frees it with the
 * process, however that ends. What a reading may bring is bounded by `limits` of its store.
 */
export interface StagedPages {
  stage(page: PageToStage): void
  discard(reading: string): void
  /** In the order in which they arrived. */
  numbers(reading: string): number[]
  /** Its bytes are there until the next page is asked for. */
  page(reading: string, page: number): StagedPage
}

/** Where a page lies in its reading's file, its cells behind its body, and what is known of it. */
type Placed = Pick<StagedPage, 'listPath' | 'rows' | 'examined'> & {
  at: number
  bytes: number
  /** None where the body is JSONB. */
  cells: number | undefined
}

/** The parts of a page that are large. */
export const buffersOf = ({ body }: Pick<PageToStage, 'body'>): (Uint8Array | Int32Array)[] =>
  body instanceof Uint8Array ? [body] : [body.json, body.cells]

interface StagedReading {
  file: number
  bytes: number
  pages: Map<number, Placed>
}

export function createStagedPages(database: Database.Database): StagedPages {
  const readings = new Map<string, StagedReading>()
  const parse = database.prepare<[Uint8Array], Buffer>('SELECT jsonb(CAST(? AS TEXT))').pluck()
  const bodies = createScratch()
  const cellsOfPage = createScratch()
  removeLeftOver(database)
  const begin = (reading: string): StagedReading => {
    const begun = { file: openNameless(database), bytes: 0, pages: new Map<number, Placed>() }
    readings.set(reading, begun)
    return begun
  }
  return {
    stage({ reading, page, body, ...known }) {
      const staged = readings.get(reading) ?? begin(reading)
      const { listPath, rows, examined } = known
      const at = staged.bytes
      for (const part of buffersOf({ body })) {
        writeWhole(staged.file, part, staged.bytes)
        staged.bytes += part.byteLength
      }
      const [{ byteLength: bytes }, cells] = buffersOf({ body }) as [Uint8Array, Int32Array?]
      staged.pages.set(page, { listPath, rows, examined, at, bytes, cells: cells?.byteLength })
    },
    discard(reading) {
      const staged = readings.get(reading)
      if (staged !== undefined) closeSync(staged.file)
      readings.delete(reading)
    },
    numbers: reading => [...(readings.get(reading)?.pages.keys() ?? [])].sort((a, b) => a - b),
    page(reading, page) {
      const { file, pages } = readings.get(reading)!
      const { at, bytes, cells, ...known } = pages.get(page)!
      const body = bodies(bytes)
      readWhole(file, body, at)
      if (cells === undefined) return { ...known, text: undefined, jsonb: () => body }
      const numbers = cellsOfPage(cells)
      readWhole(file, numbers, at + bytes)
      const text = { json: body, cells: new Int32Array(numbers.buffer, 0, cells / 4) }
      let parsed: Buffer | undefined
      return { ...known, text, jsonb: () => (parsed ??= parse.get(body)!) }
    },
  }
}

/** Memory that one page after another uses. */
function createScratch(): (bytes: number) => Buffer {
  let scratch = Buffer.alloc(0)
  return bytes => {
    if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes)
    return scratch.subarray(0, bytes)
  }
}
