import type { AnswerText } from '../../record.ts'
import { readWhole } from './files-beside.ts'
import type { PagesInFile, PlacedPage } from './page-files.ts'

/** A page as it was staged. Its bytes are there until the next one is asked for. */
export interface StagedPage extends Pick<PlacedPage, 'rows' | 'unfit'> {
  number: number
  text: AnswerText
}

/** Reads pages where they wait for their window, in the order in which they arrived. */
export function* stagedPages(staged: PagesInFile | undefined): Generator<StagedPage> {
  if (staged === undefined) return
  const bodies = createScratch()
  const cellsOfPage = createScratch()
  for (const number of [...staged.pages.keys()].sort((a, b) => a - b)) {
    const { at, bytes, cells, ...known } = staged.pages.get(number)!
    const json = bodies(bytes)
    readWhole(staged.file, json, at)
    const numbers = cellsOfPage(cells)
    readWhole(staged.file, numbers, at + bytes)
    yield { ...known, number, text: { json, cells: new Int32Array(numbers.buffer, 0, cells / 4) } }
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
