import type Database from 'better-sqlite3'
import type { AnswerText, Examined } from '../../record.ts'
import { readWhole } from './files-beside.ts'
import type { PagesInFile, PlacedPage } from './page-files.ts'

/** A page as it was staged. */
export interface StagedPage extends Pick<PlacedPage, 'listPath' | 'rows'> {
  /** The whole answer as SQLite's JSONB. */
  jsonb: () => Buffer
  text: AnswerText | undefined
  examined: Examined | undefined
}

/** Reads pages where they wait for their window: see `page-files.ts`. */
export interface StagedPages {
  /** In the order in which they arrived. */
  numbers(pages: PagesInFile | undefined): number[]
  /** Its bytes are there until the next page is asked for. */
  page(pages: PagesInFile, page: number): StagedPage
}

export function createStagedPages(database: Database.Database): StagedPages {
  const parse = database.prepare<[Uint8Array], Buffer>('SELECT jsonb(CAST(? AS TEXT))').pluck()
  const bodies = createScratch()
  const cellsOfPage = createScratch()
  return {
    numbers: staged => [...(staged?.pages.keys() ?? [])].sort((a, b) => a - b),
    page({ file, pages }, page) {
      const { at, bytes, cells, ...known } = pages.get(page)!
      const body = bodies(bytes)
      readWhole(file, body, at)
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
